// SPDX-License-Identifier: Apache-2.0
// StreamWorkspaces: memory for what cuBLAS keeps while a product is computed, one for each stream.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <memory>

#include "comm/device.h"
#include "comm/nccl/cuda_events.h"
#include "comm/nccl/rank_comms.h"

namespace collbench {

/// Two products that run at the same time must not share one. All memory is there from the start:
/// while another rank's GPU waits for this one, allocating may wait for that GPU. With more streams
/// than workspaces the stream whose products are the oldest lends its own, when it has done them.
class StreamWorkspaces {
 public:
  /// Throws SystemError.
  explicit StreamWorkspaces(const std::shared_ptr<RankComms>& comms);

  struct Workspace {
    std::unique_ptr<Memory> memory;
    cudaStream_t stream = nullptr;
    EventHandle last_use;
    std::uint64_t turn = 0;  // of the last use; 0: none yet
  };

  /// Of a stream; where it is another's, the stream waits for that.
  Workspace& take(cudaStream_t stream);

  /// Its stream has got work that uses it.
  void note_use(Workspace& workspace);

 private:
  std::array<Workspace, 4> all_;
  std::uint64_t turns_ = 0;
};

}  // namespace collbench
