// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_kernels.h"

#include <cstring>
#include <stdexcept>

#include "comm/host_pattern.h"
#include "comm/mpi/host_stream.h"

namespace collbench {
namespace {

// Some 50 us at the speed of memory.
constexpr Bytes kSlice_bytes = 256 * 1024;

void enqueue_slices(Stream& stream, Count count, Count slice, SlicedWork::HandleSlice handle) {
  static_cast<HostStream&>(stream).enqueue(
      std::make_unique<SlicedWork>(count, slice, std::move(handle)));
}

}  // namespace

void HostKernels::fill(void* data, Count count, const Pattern& pattern, Count first,
                       Stream& stream) {
  auto* bytes = static_cast<std::byte*>(data);
  const Bytes each = size_of(pattern.type);
  enqueue_slices(stream, count, kSlice_bytes / each,
                 [bytes, each, pattern, first](Count begin, Count length) {
                   collbench::fill(bytes + begin * each, length, pattern, first + begin);
                 });
}

void HostKernels::zero(void* data, Bytes bytes, Stream& stream) {
  auto* start = static_cast<std::byte*>(data);
  enqueue_slices(stream, bytes, kSlice_bytes,
                 [start](Bytes begin, Bytes length) { std::memset(start + begin, 0, length); });
}

void HostKernels::copy(void* to, const void* from, Bytes bytes, Stream& stream) {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  enqueue_slices(stream, bytes, kSlice_bytes, [target, source](Bytes begin, Bytes length) {
    std::memcpy(target + begin, source + begin, length);
  });
}

CheckResult HostKernels::check(const void* data, Count count, const Pattern& pattern, Count first,
                               Stream& stream) {
  stream.synchronize();
  return collbench::check(data, count, pattern, first);
}

void HostKernels::check_later(const void* data, Count count, const Pattern& pattern, Count first,
                              Stream& stream) {
  const auto outcome = std::make_shared<LaterCheck>(LaterCheck{{}, count});
  later_checks_.push_back(outcome);
  const auto* bytes = static_cast<const std::byte*>(data);
  const Bytes each = size_of(pattern.type);
  enqueue_slices(stream, count, kSlice_bytes / each,
                 [bytes, each, pattern, first, outcome](Count begin, Count length) {
                   add_slice(collbench::check(bytes + begin * each, length, pattern, first + begin),
                             begin, outcome->found);
                   outcome->unchecked -= length;
                 });
}

std::vector<CheckResult> HostKernels::later_checks() {
  std::vector<CheckResult> all;
  for (const auto& check : later_checks_) {
    if (check->unchecked != 0) throw std::logic_error("a check's stream has not been drained");
    all.push_back(check->found);
  }
  later_checks_.clear();
  return all;
}

void HostKernels::busy(double seconds, Stream& stream) {
  static_cast<HostStream&>(stream).enqueue(std::make_unique<BusyWork>(seconds, clock_));
}

}  // namespace collbench
