// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/stream_workspaces.h"

#include <algorithm>

#include "comm/nccl/cuda_error.h"
#include "comm/nccl/cuda_memory.h"

namespace collbench {
namespace {

// As much as NVIDIA recommends for its largest GPUs.
constexpr Bytes kEach_bytes = 32ULL << 20;

}  // namespace

StreamWorkspaces::StreamWorkspaces(const std::shared_ptr<RankComms>& comms) {
  for (Workspace& workspace : all_) {
    workspace.memory = allocate_cuda_memory(kEach_bytes, MemoryKind::device, comms);
  }
}

StreamWorkspaces::Workspace& StreamWorkspaces::take(cudaStream_t stream) {
  const auto own = std::ranges::find_if(
      all_, [stream](const Workspace& w) { return w.turn != 0 && w.stream == stream; });
  if (own != all_.end()) return *own;
  Workspace& oldest = *std::ranges::min_element(all_, {}, &Workspace::turn);
  if (oldest.turn != 0) {
    COLLBENCH_CUDA_CHECK(cudaStreamWaitEvent(stream, oldest.last_use.get(), cudaEventWaitDefault));
  }
  oldest.stream = stream;
  return oldest;
}

void StreamWorkspaces::note_use(Workspace& workspace) {
  COLLBENCH_CUDA_CHECK(cudaEventRecord(workspace.last_use.get(), workspace.stream));
  workspace.turn = ++turns_;
}

}  // namespace collbench
