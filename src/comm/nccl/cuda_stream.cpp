// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/cuda_stream.h"

#include "comm/nccl/cuda_error.h"
#include "comm/nccl/cuda_memory.h"
#include "comm/nccl/kernels.h"

namespace collbench {

CudaStream::CudaStream(std::shared_ptr<RankComms> comms, bool is_default)
    : comms_(std::move(comms)),
      scratch_(allocate_cuda_memory(gpu::kScratchBytes, MemoryKind::device, comms_)) {
  if (is_default) return;
  COLLBENCH_CUDA_CHECK(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking));
}

CudaStream::~CudaStream() {
  if (handle_ != nullptr) cudaStreamDestroy(handle_);  // waits for nothing
}

bool CudaStream::query() {
  return is_ready(cudaStreamQuery(handle_), {"cudaStreamQuery", __FILE__, __LINE__});
}

void CudaStream::synchronize() {
  comms_->wait_until([this] { return query(); });
}

}  // namespace collbench
