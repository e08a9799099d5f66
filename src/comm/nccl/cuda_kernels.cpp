// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/cuda_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "comm/host_pattern.h"
#include "comm/nccl/cuda_error.h"
#include "comm/nccl/cuda_memory.h"
#include "comm/nccl/cuda_stream.h"

namespace collbench {
namespace {

// Large enough for the full speed of a bus.
constexpr Bytes kSlice_bytes = 8ULL << 20;

cudaStream_t handle_of(Stream& stream) { return static_cast<CudaStream&>(stream).handle(); }

gpu::TensorPart part_of(const void* data, Count count, const Pattern& pattern, Count first) {
  return {const_cast<void*>(data), count, first, static_cast<unsigned>(size_of(pattern.type))};
}

// Adds what was found in a slice that begins at element `begin`.
void add_slice(const CheckResult& found, Count begin, CheckResult& all) {
  if (all.wrong == 0 && found.wrong != 0) {
    all = found;
    all.first_wrong += begin;
  } else {
    all.wrong += found.wrong;
  }
}

}  // namespace

void CudaKernels::fill(void* data, Count count, const Pattern& pattern, Count first,
                       Stream& stream) {
  if (count == 0) return;
  const gpu::Scratch scratch{static_cast<CudaStream&>(stream).scratch(), nullptr};
  COLLBENCH_CUDA_CHECK(gpu::fill(part_of(data, count, pattern, first), pattern.values.data(),
                                 scratch, handle_of(stream)));
}

void CudaKernels::zero(void* data, Bytes bytes, Stream& stream) {
  if (bytes != 0) COLLBENCH_CUDA_CHECK(cudaMemsetAsync(data, 0, bytes, handle_of(stream)));
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
  if (!mismatches_) {
    mismatches_ = allocate_cuda_memory(gpu::kMismatchesBytes, MemoryKind::device, comms_);
  }
  std::byte* mismatches = mismatches_->data();
  const cudaStream_t handle = handle_of(stream);
  constexpr Bytes kWord = sizeof(std::uint64_t);
  COLLBENCH_CUDA_CHECK(cudaMemsetAsync(mismatches, 0, kWord, handle));
  COLLBENCH_CUDA_CHECK(cudaMemsetAsync(mismatches + kWord, 0xff, kWord, handle));
  const gpu::Scratch scratch{static_cast<CudaStream&>(stream).scratch(), mismatches};
  COLLBENCH_CUDA_CHECK(
      gpu::check(part_of(data, count, pattern, first), pattern.values.data(), scratch, handle));
  copy_to_host(mismatches, gpu::kMismatchesBytes, stream);
  CheckResult result;
  std::memcpy(&result.wrong, slice(), kWord);
  if (result.wrong == 0) return result;
  std::memcpy(&result.first_wrong, slice() + kWord, kWord);
  // The host looks at the one element once more, and says what it is.
  const Bytes each = size_of(pattern.type);
  copy_to_host(static_cast<const std::byte*>(data) + result.first_wrong * each, each, stream);
  const CheckResult one = collbench::check(slice(), 1, pattern, first + result.first_wrong);
  result.found = one.found;
  result.expected = one.expected;
  return result;
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
  if (!slice_) {
    const Bytes bytes = check_on_host_ ? kSlice_bytes : gpu::kMismatchesBytes;
    slice_ = allocate_cuda_memory(bytes, MemoryKind::pinned, comms_);
  }
  return slice_->data();
}

void CudaKernels::busy(double seconds, Stream& stream) {
  const auto duration_ns = static_cast<unsigned long long>(std::llround(seconds * 1e9));
  COLLBENCH_CUDA_CHECK(gpu::busy(duration_ns, handle_of(stream)));
}

}  // namespace collbench
