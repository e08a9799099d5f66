// SPDX-License-Identifier: Apache-2.0
// CudaStream: work of a GPU in order.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "comm/device.h"
#include "comm/nccl/rank_comms.h"

namespace collbench {

class CudaStream final : public Stream {
 public:
  /// Beside the default stream, which waits for no other and none for it; or that one itself.
  CudaStream(std::shared_ptr<RankComms> comms, bool is_default);
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  bool query() override;

  /// By polling, so that it ends when NCCL reports an error or the process is aborted. Throws
  /// SystemError.
  void synchronize() override;

  cudaStream_t handle() const { return handle_; }

  /// gpu::kScratchBytes of the device for kernels on this stream, there from the start: while
  /// another rank's GPU waits for this one, allocating may wait for that GPU.
  void* scratch() { return scratch_->data(); }

 private:
  std::shared_ptr<RankComms> comms_;
  std::unique_ptr<Memory> scratch_;
  cudaStream_t handle_ = nullptr;  // of the default stream, too
};

}  // namespace collbench
