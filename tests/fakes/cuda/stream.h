// SPDX-License-Identifier: Apache-2.0
// Streams: a queue of items and one worker that runs them in order.
#pragma once

#include <cuda_runtime_api.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "fake_cuda.h"
#include "point.h"

namespace fakecuda {

class Capture;

/// Blocking streams are ordered with their device's NULL stream.
enum class StreamKind { null, blocking, non_blocking };

struct Item {
  Work work;
  std::vector<PointPtr> after;  // what must be done before, besides the stream's earlier items
  double issued_s;              // the host clock
  PointPtr done;
};

}  // namespace fakecuda

/// What a cudaStream_t points to. Any thread may use it.
struct CUstream_st : std::enable_shared_from_this<CUstream_st> {
 public:
  CUstream_st(int its_device, fakecuda::StreamKind its_kind, int its_priority);

  const int device;
  const fakecuda::StreamKind kind;
  const int priority;

  /// The capture that the stream takes part in. Guarded by the captures' mutex (capture.cpp).
  std::shared_ptr<fakecuda::Capture> capture;

  /// Appends work; the point is done when it has run. With FAKE_CUDA_INLINE=1 that is at once.
  fakecuda::PointPtr push(fakecuda::Work work, std::vector<fakecuda::PointPtr> after);

  /// The point of the newest item; null where there never was one.
  fakecuda::PointPtr last() const;

  /// Lets the worker end when it has run what is queued.
  void close();

 private:
  void run(fakecuda::Item& item);
  void work_until_closed();
  fakecuda::PointPtr push_inline(fakecuda::Item item);
  fakecuda::PointPtr unused_point();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<fakecuda::Item> queue_;
  fakecuda::PointPtr last_;
  bool has_worker_ = false;
  bool closed_ = false;
  double clock_s_ = 0;  // virtual; touched only by who runs items
};

namespace fakecuda {

using StreamPtr = std::shared_ptr<CUstream_st>;

/// The live stream behind a handle, NULL being the current device's; null where there is none.
StreamPtr find_stream(cudaStream_t handle);

/// Makes a handle live, and ends that.
cudaStream_t add_stream(StreamPtr stream);
StreamPtr remove_stream(cudaStream_t handle);

/// Every live stream of a device, the NULL stream included once it was used.
std::vector<StreamPtr> streams_of(int device);

/// Appends work with the order that the NULL stream has with blocking streams.
PointPtr push_ordered(CUstream_st& stream, Work work, std::vector<PointPtr> after = {});

/// Waits for all work of a device.
void drain_device(int device);

}  // namespace fakecuda
