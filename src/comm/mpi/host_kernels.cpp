// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_kernels.h"

#include <cstring>

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

CheckResult HostKernels::check(const void* data, Count count, const Pattern& pattern, Count first,
                               Stream& stream) {
  stream.synchronize();
  return collbench::check(data, count, pattern, first);
}

void HostKernels::busy(double seconds, Stream& stream) {
  static_cast<HostStream&>(stream).enqueue(std::make_unique<BusyWork>(seconds, clock_));
}

}  // namespace collbench
