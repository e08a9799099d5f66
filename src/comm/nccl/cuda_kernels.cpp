// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/cuda_kernels.h"

#include <algorithm>
#include <cmath>

#include "comm/host_pattern.h"
#include "comm/nccl/cuda_error.h"
#include "comm/nccl/cuda_memory.h"
#include "comm/nccl/cuda_stream.h"
#include "comm/nccl/kernels.h"

namespace collbench {
namespace {

// Large enough for the full speed of a bus.
constexpr Bytes kSlice_bytes = 8ULL << 20;

cudaStream_t handle_of(Stream& stream) { return static_cast<CudaStream&>(stream).handle(); }

// Of checks that find something in one step; whoever looks at them sees one.
constexpr Count kLaterRoom = 1 << 14;

}  // namespace

CudaKernels::CudaKernels(std::shared_ptr<RankComms> comms, bool check_on_host)
    : comms_(std::move(comms)),
      check_on_host_(check_on_host),
      check_(1, comms_),
      later_checks_(kLaterRoom, comms_) {}

void CudaKernels::fill(void* data, Count count, const Pattern& pattern, Count first,
                       Stream& stream) {
  if (count == 0) return;
  const gpu::TensorPart part{data, count, first, static_cast<unsigned>(size_of(pattern.type))};
  COLLBENCH_CUDA_CHECK(gpu::fill(part, pattern.values.data(),
                                 static_cast<CudaStream&>(stream).scratch(), handle_of(stream)));
}

void CudaKernels::zero(void* data, Bytes bytes, Stream& stream) {
  if (bytes != 0) COLLBENCH_CUDA_CHECK(cudaMemsetAsync(data, 0, bytes, handle_of(stream)));
}

void CudaKernels::copy(void* to, const void* from, Bytes bytes, Stream& stream) {
  if (bytes == 0) return;
  COLLBENCH_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, handle_of(stream)));
}

CheckResult CudaKernels::check(const void* data, Count count, const Pattern& pattern, Count first,
                               Stream& stream) {
  stream.synchronize();
  if (count == 0) return {};
  return check_on_host_ ? check_on_host(data, count, pattern, first, stream)
                        : check_on_device(data, count, pattern, first, stream);
}

CheckResult CudaKernels::check_on_device(const void* data, Count count, const Pattern& pattern,
                                         Count first, Stream& stream) {
  check_.enqueue(data, count, pattern, first, stream);
  stream.synchronize();
  return check_.take().front();
}

void CudaKernels::check_later(const void* data, Count count, const Pattern& pattern, Count first,
                              Stream& stream) {
  later_checks_.enqueue(data, count, pattern, first, stream);
}

CheckResult CudaKernels::check_on_host(const void* data, Count count, const Pattern& pattern,
                                       Count first, Stream& stream) {
  const Bytes each = size_of(pattern.type);
  CheckResult result;
  for (Count begin = 0; begin < count;) {
    const Count length = std::min(count - begin, kSlice_bytes / each);
    copy_to_host(static_cast<const std::byte*>(data) + begin * each, length * each, stream);
    add_slice(collbench::check(slice(), length, pattern, first + begin), begin, result);
    begin += length;
  }
  return result;
}

void CudaKernels::copy_to_host(const void* data, Bytes bytes, Stream& stream) {
  COLLBENCH_CUDA_CHECK(cudaMemcpyAsync(slice(), data, bytes, cudaMemcpyDefault, handle_of(stream)));
  stream.synchronize();
}

std::byte* CudaKernels::slice() {
  if (!slice_) slice_ = allocate_cuda_memory(kSlice_bytes, MemoryKind::pinned, comms_);
  return slice_->data();
}

void CudaKernels::busy(double seconds, Stream& stream) {
  const auto duration_ns = static_cast<unsigned long long>(std::llround(seconds * 1e9));
  COLLBENCH_CUDA_CHECK(gpu::busy(duration_ns, handle_of(stream)));
}

}  // namespace collbench
