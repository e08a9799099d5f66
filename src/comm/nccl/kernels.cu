// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/kernels.cuh"
#include "comm/nccl/kernels.h"

#include <cstring>
#include <type_traits>

namespace collbench::gpu {
namespace {

static_assert(kScratchBytes == kRotationBytes + sizeof(Mismatches));

constexpr unsigned kThreads = 256;
constexpr Index kMostBlocks = 2048;  // more than any GPU runs at once, so that all of it works

unsigned blocks_for(Index items) {
  const Index blocks = (items + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < 1 ? 1 : (blocks > kMostBlocks ? kMostBlocks : blocks));
}

/// The parts of a stream's scratch memory.
struct Scratch {
  explicit Scratch(void* memory)
      : rotations(memory),
        mismatches(reinterpret_cast<Mismatches*>(static_cast<char*>(memory) + kRotationBytes)) {}

  void* rotations;
  Mismatches* mismatches;
};

template <unsigned kElementBytes>
void write_table(const void* values, const Scratch& scratch, cudaStream_t stream) {
  Table table{};
  std::memcpy(table.bytes, values, kTableValues * kElementBytes);
  const unsigned blocks = blocks_for(kRotationBytes / kElementBytes);
  write_rotations<kElementBytes>
      <<<blocks, kThreads, 0, stream>>>(table, scratch.rotations, scratch.mismatches);
}

template <unsigned kElementBytes>
unsigned blocks_of(const TensorPart& part) {
  return blocks_for(part.count / kPerVector<kElementBytes> + 1);
}

template <unsigned kElementBytes>
void launch_fill(const TensorPart& part, const void* values, const Scratch& scratch,
                 cudaStream_t stream) {
  write_table<kElementBytes>(values, scratch, stream);
  fill_tensor<kElementBytes><<<blocks_of<kElementBytes>(part), kThreads, 0, stream>>>(
      part.data, part.count, scratch.rotations, part.first);
}

template <unsigned kElementBytes>
void launch_check(const TensorPart& part, const void* values, const Scratch& scratch,
                  const Log& log, Index number, cudaStream_t stream) {
  write_table<kElementBytes>(values, scratch, stream);
  check_tensor<kElementBytes><<<blocks_of<kElementBytes>(part), kThreads, 0, stream>>>(
      part.data, part.count, scratch.rotations, part.first, scratch.mismatches);
  log_check<kElementBytes><<<1, 1, 0, stream>>>(part.data, scratch.rotations, part.first,
                                                scratch.mismatches, number,
                                                static_cast<LogHead*>(log.start), log.room);
}

// Calls launch(std::integral_constant) with the bytes of an element.
template <class Launch>
cudaError_t launched_for(unsigned element_bytes, Launch launch) {
  switch (element_bytes) {
    case 1:
      launch(std::integral_constant<unsigned, 1>{});
      break;
    case 2:
      launch(std::integral_constant<unsigned, 2>{});
      break;
    case 4:
      launch(std::integral_constant<unsigned, 4>{});
      break;
    case 8:
      launch(std::integral_constant<unsigned, 8>{});
      break;
    default:
      return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

template <class... Kernels>
cudaError_t load_all(Kernels*... kernels) {
  cudaFuncAttributes ignored{};
  cudaError_t code = cudaSuccess;
  ((code = code == cudaSuccess ? cudaFuncGetAttributes(&ignored, kernels) : code), ...);
  return code;
}

template <unsigned... kElementBytes>
cudaError_t load_for() {
  return load_all(write_rotations<kElementBytes>..., fill_tensor<kElementBytes>...,
                  check_tensor<kElementBytes>..., log_check<kElementBytes>..., keep_busy);
}

}  // namespace

cudaError_t load() { return load_for<1, 2, 4, 8>(); }

cudaError_t fill(const TensorPart& part, const void* values, void* scratch, cudaStream_t stream) {
  return launched_for(part.element_bytes, [&](auto element_bytes) {
    launch_fill<element_bytes>(part, values, Scratch(scratch), stream);
  });
}

cudaError_t check(const TensorPart& part, const void* values, void* scratch, const Log& log,
                  unsigned long long number, cudaStream_t stream) {
  return launched_for(part.element_bytes, [&](auto element_bytes) {
    launch_check<element_bytes>(part, values, Scratch(scratch), log, number, stream);
  });
}

cudaError_t busy(unsigned long long duration_ns, cudaStream_t stream) {
  keep_busy<<<1, 1, 0, stream>>>(duration_ns);
  return cudaGetLastError();
}

}  // namespace collbench::gpu
