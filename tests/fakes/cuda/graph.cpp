// SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include <utility>

#include "capture.h"
#include "clock.h"
#include "errors.h"

using fakecuda::PointPtr;

CUgraphExec_st::CUgraphExec_st(const CUgraph_st& graph, int device)
    : graph_(std::make_shared<const CUgraph_st>(graph)) {
  for (std::size_t lane = 1; lane < graph_->lanes; ++lane) {
    lanes_.push_back(std::make_shared<CUstream_st>(device, fakecuda::StreamKind::non_blocking, 0));
  }
}

CUgraphExec_st::~CUgraphExec_st() {
  for (const fakecuda::StreamPtr& lane : lanes_) lane->close();
}

void CUgraphExec_st::launch(CUstream_st& stream) {
  const auto nothing = [](fakecuda::ItemTime&) {};
  std::vector<PointPtr> before;
  if (last_launch_) before.push_back(last_launch_);
  const PointPtr start = fakecuda::push_ordered(stream, nothing, std::move(before));

  std::vector<PointPtr> done;
  for (std::size_t i = 0; i < graph_->nodes.size(); ++i) {
    const fakecuda::Node& node = graph_->nodes[i];
    std::vector<PointPtr> after = {start};
    for (const std::size_t earlier : node.after) after.push_back(done[earlier]);
    CUstream_st& lane = node.lane == 0 ? stream : *lanes_[node.lane - 1];
    done.push_back(
        lane.push([graph = graph_, i](fakecuda::ItemTime& time) { graph->nodes[i].work(time); },
                  std::move(after)));
  }
  last_launch_ = stream.push(nothing, std::move(done));
}

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return fakecuda::api([&] {
    const auto stream = fakecuda::find_stream(handle);
    return stream ? fakecuda::begin_capture(stream, mode) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return fakecuda::api([&] {
    if (graph == nullptr) return cudaErrorInvalidValue;
    *graph = nullptr;
    const auto stream = fakecuda::find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    std::unique_ptr<CUgraph_st> captured;
    const cudaError_t error = fakecuda::end_capture(*stream, captured);
    *graph = captured.release();
    return error;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return fakecuda::api([&] {
    if (status == nullptr) return cudaErrorInvalidValue;
    const auto stream = fakecuda::find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    *status = fakecuda::capture_status(*stream);
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return fakecuda::api([&] {
    if (mode == nullptr) return cudaErrorInvalidValue;
    *mode = fakecuda::exchange_capture_mode(*mode);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return fakecuda::api([&] {
    if (exec == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    *exec = new CUgraphExec_st(*graph, fakecuda::current_device());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  return fakecuda::api([&] {
    if (exec == nullptr) return cudaErrorInvalidValue;
    const auto stream = fakecuda::find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    // A graph inside a graph is not modelled.
    if (fakecuda::is_capturing(handle)) return cudaErrorNotSupported;
    fakecuda::host_spend_call();
    exec->launch(*stream);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return fakecuda::api([&] {
    if (graph == nullptr || count == nullptr) return cudaErrorInvalidValue;
    // Nodes have no handles here; how many there are is what programs ask for first.
    if (nodes != nullptr) return cudaErrorNotSupported;
    *count = graph->nodes.size();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return fakecuda::api([&] {
    if (graph == nullptr) return cudaErrorInvalidValue;
    delete graph;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return fakecuda::api([&] {
    if (exec == nullptr) return cudaErrorInvalidValue;
    delete exec;
    return cudaSuccess;
  });
}
}
