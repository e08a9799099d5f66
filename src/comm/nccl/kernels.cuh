// SPDX-License-Identifier: Apache-2.0
// The work of a GPU on patterns of test data (see comm/pattern.h, whose rule is restated here), and
// busy time.
//
// No thread waits for another, and arguments are plain pointers, integers, and structs without
// pointers: tests compile this file for the host, and run it one thread after the other.
#pragma once

#include "comm/nccl/kernels_log.h"

namespace collbench::gpu {

using Index = unsigned long long;

constexpr Index kTableValues = 256;

/// The bytes of a pattern: 256 values of up to 8 bytes.
struct Table {
  unsigned char bytes[kTableValues * 8];
};

/// What a check found, in memory of the device: how many elements are wrong, and the least index of
/// one; all bits of it are set where none is.
struct Mismatches {
  Index wrong;
  Index first;
};

/// What a thread reads and writes at once: 16 bytes, the most that there is.
struct alignas(16) Vector {
  unsigned words[4];
};

template <unsigned kElementBytes>
struct ElementOf;
template <>
struct ElementOf<1> {
  using Type = unsigned char;
};
template <>
struct ElementOf<2> {
  using Type = unsigned short;
};
template <>
struct ElementOf<4> {
  using Type = unsigned;
};
template <>
struct ElementOf<8> {
  using Type = unsigned long long;
};
template <unsigned kElementBytes>
using Element = typename ElementOf<kElementBytes>::Type;

/// Elements of a vector.
template <unsigned kElementBytes>
constexpr Index kPerVector = sizeof(Vector) / kElementBytes;

/// Memory for the rotations of a table, whatever its elements.
constexpr Index kRotationBytes = kTableValues * sizeof(Vector);

__device__ inline Index global_thread() {
  return static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline Index all_threads() { return static_cast<Index>(gridDim.x) * blockDim.x; }

/// The rotation of a tile.
__device__ inline Index scatter(Index tile) {
  constexpr Index kMultiplier = 0x9e3779b97f4a7c15ULL;
  tile ^= tile >> 32;
  tile *= kMultiplier;
  tile ^= tile >> 29;
  tile *= kMultiplier;
  return tile >> 56;
}

/// Which of the values element `i` of a tensor has.
__device__ inline Index value_index(Index i) {
  return (i + scatter(i / kTableValues)) % kTableValues;
}

/// Writes the table as often as a vector has elements, the r-th time rotated by r: any vector
/// within a tile then lies in one of these, at a multiple of its size. And forgets mismatches.
template <unsigned kElementBytes>
__global__ void write_rotations(Table table, void* rotations, Mismatches* mismatches) {
  if (global_thread() == 0) *mismatches = {0, ~Index{0}};
  using T = Element<kElementBytes>;
  auto* to = static_cast<T*>(rotations);
  const Index elements = kTableValues * kPerVector<kElementBytes>;
  for (Index i = global_thread(); i < elements; i += all_threads()) {
    const Index from = (i + i / kTableValues) % kTableValues;
    T value = 0;
    for (unsigned byte = 0; byte < kElementBytes; ++byte) {
      value |=
          static_cast<T>(static_cast<T>(table.bytes[from * kElementBytes + byte]) << (8 * byte));
    }
    to[i] = value;
  }
}

/// A pattern as the rotations of its table.
template <unsigned kElementBytes>
class RotatedPattern {
 public:
  using T = Element<kElementBytes>;

  __device__ explicit RotatedPattern(const void* rotations)
      : elements_(static_cast<const T*>(rotations)),
        vectors_(static_cast<const Vector*>(rotations)) {}

  __device__ T element(Index i) const { return elements_[value_index(i)]; }

  /// Elements i and following.
  __device__ Vector vector(Index i) const {
    const Index in_tile = i % kTableValues;
    if (in_tile > kTableValues - kPer) return across_tiles(i);
    const Index value = value_index(i);
    const Index rotation = value % kPer;
    return vectors_[(rotation * kTableValues + value - rotation) / kPer];
  }

 private:
  static constexpr Index kPer = kPerVector<kElementBytes>;

  // Little-endian, as GPUs are.
  __device__ Vector across_tiles(Index i) const {
    constexpr unsigned kPerWord = kElementBytes < 4 ? 4 / kElementBytes : 1;
    Vector vector{};
    for (unsigned k = 0; k < kPer; ++k) {
      const T value = element(i + k);
      if constexpr (kElementBytes == 8) {
        vector.words[2 * k] = static_cast<unsigned>(value);
        vector.words[2 * k + 1] = static_cast<unsigned>(value >> 32);
      } else {
        vector.words[k / kPerWord] |= static_cast<unsigned>(value)
                                      << (8 * kElementBytes * (k % kPerWord));
      }
    }
    return vector;
  }

  const T* elements_;
  const Vector* vectors_;
};

/// A tensor's elements as vectors at multiples of their size, and what lies before and behind them.
template <unsigned kElementBytes>
struct Split {
  Index head;     // elements before the first vector
  Index vectors;  // their number

  __device__ Split(const void* data, Index count) {
    const Index past = reinterpret_cast<Index>(data) % sizeof(Vector);
    head = past == 0 ? 0 : (sizeof(Vector) - past) / kElementBytes;
    if (head > count) head = count;
    vectors = (count - head) / kPerVector<kElementBytes>;
  }

  __device__ Index tail() const { return head + vectors * kPerVector<kElementBytes>; }
};

/// Writes elements first .. first + count - 1 of the pattern's tensor to `data`, which is aligned
/// to an element.
template <unsigned kElementBytes>
__global__ void fill_tensor(void* data, Index count, const void* rotations, Index first) {
  const RotatedPattern<kElementBytes> pattern(rotations);
  const Split<kElementBytes> split(data, count);
  auto* elements = static_cast<Element<kElementBytes>*>(data);
  auto* vectors = reinterpret_cast<Vector*>(elements + split.head);
  const Index thread = global_thread();
  for (Index v = thread; v < split.vectors; v += all_threads()) {
    vectors[v] = pattern.vector(first + split.head + v * kPerVector<kElementBytes>);
  }
  for (Index i = thread; i < split.head; i += all_threads()) {
    elements[i] = pattern.element(first + i);
  }
  for (Index i = split.tail() + thread; i < count; i += all_threads()) {
    elements[i] = pattern.element(first + i);
  }
}

/// What one thread of a check has seen.
struct Findings {
  Index wrong = 0;
  Index first = ~Index{0};

  __device__ void add(Index i) {
    ++wrong;
    if (i < first) first = i;
  }
};

__device__ inline bool same(const Vector& a, const Vector& b) {
  return ((a.words[0] ^ b.words[0]) | (a.words[1] ^ b.words[1]) | (a.words[2] ^ b.words[2]) |
          (a.words[3] ^ b.words[3])) == 0;
}

/// Compares `data` with what fill_tensor would write, and adds to what was found before.
template <unsigned kElementBytes>
__global__ void check_tensor(const void* data, Index count, const void* rotations, Index first,
                             Mismatches* mismatches) {
  const RotatedPattern<kElementBytes> pattern(rotations);
  const Split<kElementBytes> split(data, count);
  const auto* elements = static_cast<const Element<kElementBytes>*>(data);
  const auto* vectors = reinterpret_cast<const Vector*>(elements + split.head);
  const Index thread = global_thread();
  Findings findings;
  const auto look_at = [&](Index i) {
    if (elements[i] != pattern.element(first + i)) findings.add(i);
  };
  for (Index v = thread; v < split.vectors; v += all_threads()) {
    const Index i = split.head + v * kPerVector<kElementBytes>;
    if (same(vectors[v], pattern.vector(first + i))) continue;
    for (Index k = 0; k < kPerVector<kElementBytes>; ++k) look_at(i + k);
  }
  for (Index i = thread; i < split.head; i += all_threads()) look_at(i);
  for (Index i = split.tail() + thread; i < count; i += all_threads()) look_at(i);
  if (findings.wrong == 0) return;
  atomicAdd(&mismatches->wrong, findings.wrong);
  atomicMin(&mismatches->first, findings.first);
}

/// Logs what check_tensor has found, while the data still is what it has seen; for one thread. What
/// there is no room for is counted only.
template <unsigned kElementBytes>
__global__ void log_check(const void* data, const void* rotations, Index first,
                          const Mismatches* mismatches, Index check, LogHead* log, Index room) {
  if (mismatches->wrong != 0) {
    const Index slot = atomicAdd(&log->entries, Index{1});
    const Index at = mismatches->first;
    if (slot < room) {
      reinterpret_cast<LogEntry*>(log + 1)[slot] = {
          check, mismatches->wrong, at, static_cast<const Element<kElementBytes>*>(data)[at],
          RotatedPattern<kElementBytes>(rotations).element(first + at)};
    }
  }
  atomicAdd(&log->done, Index{1});
}

#ifdef __CUDACC__
/// Returns after so long, by the GPU's clock. Whoever compiles this for the host has one of this
/// name.
__device__ inline void pass_time(Index duration_ns) {
  const auto now_ns = [] {
    Index read_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(read_ns));
    return read_ns;
  };
  const Index start_ns = now_ns();
  while (now_ns() - start_ns < duration_ns) {
  }
}
#endif

/// Returns after about so long.
__global__ void keep_busy(Index duration_ns) { pass_time(duration_ns); }

}  // namespace collbench::gpu
