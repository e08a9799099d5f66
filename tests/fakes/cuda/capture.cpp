// SPDX-License-Identifier: Apache-2.0
#include "capture.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <utility>

namespace fakecuda {

/// One graph in the making.
class Capture {
 public:
  /// One stream's part: what its next node must come after.
  struct Branch {
    StreamPtr stream;
    std::size_t lane;
    std::vector<std::size_t> tails;
  };

  cudaStreamCaptureMode mode;
  std::thread::id thread;
  CUstream_st* origin;
  bool valid = true;
  CUgraph_st graph;
  std::map<CUstream_st*, Branch> branches;
};

namespace {

struct State {
  std::mutex mutex;
  std::set<std::shared_ptr<Capture>> ongoing;
  std::atomic<bool> any = false;  // read without the mutex: most runs never capture
};

State& state() {
  static State& once = *new State;
  return once;
}

cudaStreamCaptureMode& thread_mode() {
  thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

std::vector<std::size_t> united(std::vector<std::size_t> nodes,
                                const std::vector<std::size_t>& others) {
  nodes.insert(nodes.end(), others.begin(), others.end());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// Whether every node comes before what the origin goes on after.
bool all_joined(const Capture& capture) {
  const std::vector<Node>& nodes = capture.graph.nodes;
  std::vector<bool> joined(nodes.size(), false);
  for (const std::size_t tail : capture.branches.at(capture.origin).tails) joined[tail] = true;
  for (std::size_t node = nodes.size(); node-- > 0;) {
    if (!joined[node]) return false;
    for (const std::size_t earlier : nodes[node].after) joined[earlier] = true;
  }
  return true;
}

void finish(const std::shared_ptr<Capture>& capture) {
  for (auto& [stream, branch] : capture->branches) stream->capture = nullptr;
  capture->branches.clear();
  state().ongoing.erase(capture);
  state().any = !state().ongoing.empty();
}

/// Whether an unsafe call of this thread spoils a capture.
bool forbids_unsafe_call(const Capture& capture) {
  const cudaStreamCaptureMode mode = thread_mode();
  if (mode == cudaStreamCaptureModeRelaxed) return false;
  if (capture.thread == std::this_thread::get_id()) {
    return capture.mode != cudaStreamCaptureModeRelaxed;
  }
  return mode == cudaStreamCaptureModeGlobal && capture.mode == cudaStreamCaptureModeGlobal;
}

/// A capture by a blocking stream forbids the NULL stream of its device.
std::shared_ptr<Capture> capture_against_null(const CUstream_st& stream) {
  for (const auto& capture : state().ongoing) {
    for (const auto& [member, branch] : capture->branches) {
      if (member->kind == StreamKind::blocking && member->device == stream.device) return capture;
    }
  }
  return nullptr;
}

/// Success where the stream's capture still is valid.
cudaError_t error_of(const Capture& capture) {
  return capture.valid ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
}

cudaError_t spoil(Capture& capture, cudaError_t error) {
  capture.valid = false;
  return error;
}

}  // namespace

cudaError_t begin_capture(const StreamPtr& stream, cudaStreamCaptureMode mode) {
  if (stream->kind == StreamKind::null) return cudaErrorStreamCaptureUnsupported;
  const std::lock_guard lock(state().mutex);
  if (stream->capture) return cudaErrorIllegalState;
  auto capture = std::make_shared<Capture>();
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = stream.get();
  capture->branches[stream.get()] = {stream, 0, {}};
  stream->capture = capture;
  state().ongoing.insert(std::move(capture));
  state().any = true;
  return cudaSuccess;
}

cudaError_t end_capture(CUstream_st& stream, std::unique_ptr<CUgraph_st>& graph) {
  const std::lock_guard lock(state().mutex);
  const std::shared_ptr<Capture> capture = stream.capture;
  if (!capture) return cudaErrorIllegalState;
  if (capture->origin != &stream) return spoil(*capture, cudaErrorStreamCaptureUnmatched);
  const bool own_thread = capture->thread == std::this_thread::get_id();
  if (capture->mode != cudaStreamCaptureModeRelaxed && !own_thread) {
    return cudaErrorStreamCaptureWrongThread;
  }
  const bool joined = all_joined(*capture);
  finish(capture);
  if (!capture->valid) return cudaErrorStreamCaptureInvalidated;
  if (!joined) return cudaErrorStreamCaptureUnjoined;
  graph = std::make_unique<CUgraph_st>(std::move(capture->graph));
  return cudaSuccess;
}

cudaStreamCaptureStatus capture_status(CUstream_st& stream) {
  if (!state().any) return cudaStreamCaptureStatusNone;
  const std::lock_guard lock(state().mutex);
  if (!stream.capture) return cudaStreamCaptureStatusNone;
  return stream.capture->valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
}

std::optional<cudaError_t> capture_work(CUstream_st& stream, const Work& work) {
  if (!state().any) return std::nullopt;
  const std::lock_guard lock(state().mutex);
  if (stream.kind == StreamKind::null) {
    if (const auto other = capture_against_null(stream)) {
      return spoil(*other, cudaErrorStreamCaptureImplicit);
    }
  }
  if (!stream.capture) return std::nullopt;
  Capture& capture = *stream.capture;
  if (!capture.valid) return cudaErrorStreamCaptureInvalidated;
  Capture::Branch& branch = capture.branches.at(&stream);
  capture.graph.nodes.push_back({work, branch.tails, branch.lane});
  branch.tails = {capture.graph.nodes.size() - 1};
  return cudaSuccess;
}

std::optional<cudaError_t> capture_record(CUstream_st& stream, CapturedPoint& recorded) {
  recorded = {};
  if (!state().any) return std::nullopt;
  const std::lock_guard lock(state().mutex);
  if (!stream.capture) return std::nullopt;
  recorded = {stream.capture, stream.capture->branches.at(&stream).tails};
  return error_of(*stream.capture);
}

cudaError_t join_capture(const StreamPtr& stream, const CapturedPoint& event) {
  const std::lock_guard lock(state().mutex);
  const std::shared_ptr<Capture>& capture = event.capture;
  if (state().ongoing.count(capture) == 0) return cudaErrorCapturedEvent;
  if (!capture->valid) return cudaErrorStreamCaptureInvalidated;
  if (stream->capture && stream->capture != capture) {
    stream->capture->valid = false;
    return spoil(*capture, cudaErrorStreamCaptureMerge);
  }
  if (stream->kind == StreamKind::null) return spoil(*capture, cudaErrorStreamCaptureImplicit);
  if (!stream->capture) {
    stream->capture = capture;
    capture->branches[stream.get()] = {stream, capture->graph.lanes++, {}};
  }
  Capture::Branch& branch = capture->branches.at(stream.get());
  branch.tails = united(std::move(branch.tails), event.nodes);
  return cudaSuccess;
}

std::optional<cudaError_t> refuse_uncaptured_dependency(CUstream_st& stream) {
  if (!state().any) return std::nullopt;
  const std::lock_guard lock(state().mutex);
  if (!stream.capture) return std::nullopt;
  return spoil(*stream.capture, cudaErrorStreamCaptureIsolation);
}

cudaError_t refuse_host_wait(CUstream_st& stream) {
  if (!state().any) return cudaSuccess;
  const std::lock_guard lock(state().mutex);
  if (stream.kind == StreamKind::null) {
    const auto other = capture_against_null(stream);
    return other ? spoil(*other, cudaErrorStreamCaptureImplicit) : cudaSuccess;
  }
  return stream.capture ? spoil(*stream.capture, cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

cudaError_t refuse_unsafe_call() {
  if (!state().any) return cudaSuccess;
  const std::lock_guard lock(state().mutex);
  cudaError_t error = cudaSuccess;
  for (const auto& capture : state().ongoing) {
    if (forbids_unsafe_call(*capture)) error = spoil(*capture, cudaErrorStreamCaptureUnsupported);
  }
  return error;
}

cudaStreamCaptureMode exchange_capture_mode(cudaStreamCaptureMode mode) {
  return std::exchange(thread_mode(), mode);
}

}  // namespace fakecuda
