// SPDX-License-Identifier: Apache-2.0
// Graphs: captured work and its order.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "fake_cuda.h"
#include "stream.h"

namespace fakecuda {

struct Node {
  Work work;
  std::vector<std::size_t> after;  // earlier nodes
  std::size_t lane;  // nodes of one lane run one after the other; 0: on the launch stream
};

}  // namespace fakecuda

/// What a cudaGraph_t points to.
struct CUgraph_st {
  std::vector<fakecuda::Node> nodes;
  std::size_t lanes = 1;
};

/// What a cudaGraphExec_t points to. Launches of one run one after the other, as in CUDA.
struct CUgraphExec_st {
 public:
  CUgraphExec_st(const CUgraph_st& graph, int device);
  ~CUgraphExec_st();
  CUgraphExec_st(const CUgraphExec_st&) = delete;
  CUgraphExec_st& operator=(const CUgraphExec_st&) = delete;

  void launch(CUstream_st& stream);

 private:
  std::shared_ptr<const CUgraph_st> graph_;
  std::vector<fakecuda::StreamPtr> lanes_;  // of lane i + 1
  fakecuda::PointPtr last_launch_;
};
