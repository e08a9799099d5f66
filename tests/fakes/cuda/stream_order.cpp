// SPDX-License-Identifier: Apache-2.0
// All live streams, and the order between the NULL stream and the others.
#include <mutex>
#include <unordered_map>
#include <utility>

#include "stream.h"

namespace fakecuda {
namespace {

struct Table {
  std::mutex mutex;
  std::unordered_map<cudaStream_t, StreamPtr> streams;
  std::unordered_map<int, StreamPtr> null_streams;  // by device; made when first used
};

Table& table() {
  static Table& once = *new Table;
  return once;
}

StreamPtr null_stream(int device) {
  StreamPtr& stream = table().null_streams[device];
  if (!stream) stream = std::make_shared<CUstream_st>(device, StreamKind::null, 0);
  return stream;
}

/// The newest points that an item of this stream must come after.
std::vector<PointPtr> legacy_order(const CUstream_st& stream) {
  std::vector<PointPtr> points;
  if (stream.kind == StreamKind::non_blocking) return points;
  const std::lock_guard lock(table().mutex);
  const auto add = [&points](const CUstream_st& other) {
    PointPtr last = other.last();
    // What is done holds nothing up, but under virtual time it says how late it is.
    if (last && (virtual_time() || !last->done())) points.push_back(std::move(last));
  };
  if (stream.kind == StreamKind::null) {
    for (const auto& [handle, other] : table().streams) {
      const bool ordered = other->kind == StreamKind::blocking && other->device == stream.device;
      if (ordered) add(*other);
    }
  } else if (const auto found = table().null_streams.find(stream.device);
             found != table().null_streams.end()) {
    add(*found->second);
  }
  return points;
}

}  // namespace

cudaStream_t add_stream(StreamPtr stream) {
  const cudaStream_t handle = stream.get();
  const std::lock_guard lock(table().mutex);
  table().streams.emplace(handle, std::move(stream));
  return handle;
}

StreamPtr remove_stream(cudaStream_t handle) {
  const std::lock_guard lock(table().mutex);
  const auto found = table().streams.find(handle);
  if (found == table().streams.end()) return nullptr;
  StreamPtr stream = std::move(found->second);
  table().streams.erase(found);
  return stream;
}

StreamPtr find_stream(cudaStream_t handle) {
  const std::lock_guard lock(table().mutex);
  if (handle == nullptr || handle == cudaStreamLegacy) return null_stream(current_device());
  const auto found = table().streams.find(handle);
  return found == table().streams.end() ? nullptr : found->second;
}

std::vector<StreamPtr> streams_of(int device) {
  std::vector<StreamPtr> found;
  const std::lock_guard lock(table().mutex);
  for (const auto& [handle, stream] : table().streams) {
    if (stream->device == device) found.push_back(stream);
  }
  const auto null = table().null_streams.find(device);
  if (null != table().null_streams.end()) found.push_back(null->second);
  return found;
}

PointPtr push_ordered(CUstream_st& stream, Work work, std::vector<PointPtr> after) {
  for (PointPtr& point : legacy_order(stream)) after.push_back(std::move(point));
  return stream.push(std::move(work), std::move(after));
}

void drain_device(int device) {
  for (const StreamPtr& stream : streams_of(device)) {
    if (const PointPtr last = stream->last()) host_advance_to_s(last->wait());
  }
}

int device_of(cudaStream_t handle) {
  const StreamPtr stream = find_stream(handle);
  return stream ? stream->device : -1;
}

}  // namespace fakecuda
