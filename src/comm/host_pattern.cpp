// SPDX-License-Identifier: Apache-2.0
#include "comm/host_pattern.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace collbench {
namespace {

constexpr Bytes kLargestElement = 8;

// The values twice over: every rotation of the table, and every piece of one, lies in it in one
// piece.
class DoubledTable {
 public:
  explicit DoubledTable(PatternTable table) : element_bytes_(table.element_bytes) {
    const Bytes once = kPatternValues * element_bytes_;
    std::memcpy(bytes_.data(), table.values, once);
    std::memcpy(bytes_.data() + once, table.values, once);
  }

  // Element i of the tensor and those after it, as far as its tile goes.
  const std::byte* from(Count i) const {
    return bytes_.data() + (i % kPatternValues + scatter(i / kPatternValues)) * element_bytes_;
  }

 private:
  Bytes element_bytes_;
  std::array<std::byte, 2 * kPatternValues * kLargestElement> bytes_;
};

// Calls piece(k, n) for each run of n elements, from the k-th of the memory, that lies in one tile.
template <class Piece>
void for_each_tile(Count count, Count first, Piece piece) {
  for (Count k = 0; k < count;) {
    const Count n = std::min(kPatternValues - (first + k) % kPatternValues, count - k);
    piece(k, n);
    k += n;
  }
}

// From here on, filled memory goes past the caches, which could not keep it: twice as fast as
// stores that first read each line, and what memcpy does for large copies.
constexpr Bytes kStreamingFrom = 16ULL << 20;

void copy(std::byte* to, const std::byte* from, Bytes bytes) { std::memcpy(to, from, bytes); }

#ifdef __SSE2__
void copy_past_caches(std::byte* to, const std::byte* from, Bytes bytes) {
  constexpr Bytes kStore = sizeof(__m128i);
  const Bytes to_boundary = (kStore - reinterpret_cast<std::uintptr_t>(to) % kStore) % kStore;
  const Bytes head = std::min(to_boundary, bytes);
  if (head != 0) std::memcpy(to, from, head);
  Bytes done = head;
  for (; done + kStore <= bytes; done += kStore) {
    const auto* source = reinterpret_cast<const __m128i*>(from + done);
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + done), _mm_loadu_si128(source));
  }
  if (done != bytes) std::memcpy(to + done, from + done, bytes - done);
}
void finish_past_caches() { _mm_sfence(); }
#else
void copy_past_caches(std::byte* to, const std::byte* from, Bytes bytes) { copy(to, from, bytes); }
void finish_past_caches() {}
#endif

// Two runs of equally many elements, at least one of which differs.
struct Difference {
  const std::byte* found;
  const std::byte* expected;
  Count count;
};

void record_wrong(const Difference& run, Bytes element_bytes, Count index, CheckResult& result) {
  for (Count k = 0; k < run.count; ++k) {
    const std::byte* found = run.found + k * element_bytes;
    const std::byte* expected = run.expected + k * element_bytes;
    if (std::memcmp(found, expected, element_bytes) == 0) continue;
    if (result.wrong++ != 0) continue;
    result.first_wrong = index + k;
    std::memcpy(result.found.data(), found, element_bytes);
    std::memcpy(result.expected.data(), expected, element_bytes);
  }
}

}  // namespace

void fill(void* data, Count count, PatternTable table, Count first) {
  const DoubledTable doubled(table);
  auto* bytes = static_cast<std::byte*>(data);
  const bool past_caches = count * table.element_bytes >= kStreamingFrom;
  const auto write = past_caches ? copy_past_caches : copy;
  for_each_tile(count, first, [&](Count k, Count n) {
    write(bytes + k * table.element_bytes, doubled.from(first + k), n * table.element_bytes);
  });
  if (past_caches) finish_past_caches();
}

CheckResult check(const void* data, Count count, PatternTable table, Count first) {
  const DoubledTable doubled(table);
  const auto* bytes = static_cast<const std::byte*>(data);
  CheckResult result;
  for_each_tile(count, first, [&](Count k, Count n) {
    const std::byte* found = bytes + k * table.element_bytes;
    const std::byte* expected = doubled.from(first + k);
    if (std::memcmp(found, expected, n * table.element_bytes) != 0) {
      record_wrong({found, expected, n}, table.element_bytes, k, result);
    }
  });
  return result;
}

void add_slice(const CheckResult& found, Count begin, CheckResult& all) {
  if (all.wrong == 0 && found.wrong != 0) {
    all = found;
    all.first_wrong += begin;
  } else {
    all.wrong += found.wrong;
  }
}

}  // namespace collbench
