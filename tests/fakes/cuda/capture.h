// SPDX-License-Identifier: Apache-2.0
// Capture: streams whose work becomes a graph instead of running.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "graph.h"
#include "stream.h"

namespace fakecuda {

/// Where a captured event was recorded.
struct CapturedPoint {
  std::shared_ptr<Capture> capture;
  std::vector<std::size_t> nodes;
};

/// Every function locks the mutex of all captures.

cudaError_t begin_capture(const StreamPtr& stream, cudaStreamCaptureMode mode);

/// Ends the capture that began on this stream. Null with an error.
cudaError_t end_capture(CUstream_st& stream, std::unique_ptr<CUgraph_st>& graph);

cudaStreamCaptureStatus capture_status(CUstream_st& stream);

/// Nothing when the stream is not capturing, and the caller must run the work; else what came of
/// adding it to the graph.
std::optional<cudaError_t> capture_work(CUstream_st& stream, const Work& work);

/// The same for recording an event: nothing when the stream is not capturing.
std::optional<cudaError_t> capture_record(CUstream_st& stream, CapturedPoint& recorded);

/// Makes a stream that is capturing, or joins the capture now, wait for a captured event.
cudaError_t join_capture(const StreamPtr& stream, const CapturedPoint& event);

/// What a wait of this stream for uncaptured work comes to: nothing when it is not capturing.
std::optional<cudaError_t> refuse_uncaptured_dependency(CUstream_st& stream);

/// The error of waiting for this stream on the host, which spoils its capture.
cudaError_t refuse_host_wait(CUstream_st& stream);

/// The error of a call that CUDA calls unsafe during a capture, such as cudaMalloc, by the modes of
/// the captures under way and of this thread; it spoils those captures.
cudaError_t refuse_unsafe_call();

/// Sets this thread's mode and returns the one before.
cudaStreamCaptureMode exchange_capture_mode(cudaStreamCaptureMode mode);

}  // namespace fakecuda
