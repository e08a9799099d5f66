// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/cuda_graph.h"

#include "comm/nccl/cuda_error.h"
#include "comm/nccl/cuda_stream.h"

namespace collbench {
namespace {

class CudaGraph final : public Graph {
 public:
  explicit CudaGraph(cudaGraph_t graph) {
    COLLBENCH_CUDA_CHECK(cudaGraphInstantiate(&runnable_, graph, 0));
  }
  ~CudaGraph() override { cudaGraphExecDestroy(runnable_); }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  void launch(Stream& stream) override {
    COLLBENCH_CUDA_CHECK(cudaGraphLaunch(runnable_, static_cast<CudaStream&>(stream).handle()));
  }

 private:
  cudaGraphExec_t runnable_ = nullptr;
};

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
using OwnedGraph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;

// What a stream records; ended in any case, so that the stream can be used afterwards.
class Recording {
 public:
  explicit Recording(cudaStream_t stream) : stream_(stream) {
    COLLBENCH_CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  }
  ~Recording() {
    cudaGraph_t dropped = nullptr;
    if (recording_ && cudaStreamEndCapture(stream_, &dropped) == cudaSuccess) {
      cudaGraphDestroy(dropped);
    }
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  OwnedGraph end() {
    recording_ = false;
    cudaGraph_t graph = nullptr;
    COLLBENCH_CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
    return OwnedGraph(graph);
  }

 private:
  cudaStream_t stream_;
  bool recording_ = true;
};

}  // namespace

std::unique_ptr<Graph> CudaGraphCapture::capture(Stream& stream,
                                                 const std::function<void()>& enqueue) {
  Recording recording(static_cast<CudaStream&>(stream).handle());
  enqueue();
  const OwnedGraph graph = recording.end();
  return std::make_unique<CudaGraph>(graph.get());
}

}  // namespace collbench
