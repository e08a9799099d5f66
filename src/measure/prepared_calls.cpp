// SPDX-License-Identifier: Apache-2.0
#include "measure/prepared_calls.h"

#include <algorithm>

namespace collbench {
namespace {

/// A buffer that a rank does not have has no other places either.
template <class Byte, class Buffer>
Byte* place_in(Buffer* buffer, Bytes offset) {
  return buffer == nullptr ? nullptr : static_cast<Byte*>(buffer) + offset;
}

}  // namespace

Buffers buffers_at(const Placement& placement, std::uint64_t position) {
  const Bytes offset = (position % placement.positions) * placement.stride_bytes;
  return {place_in<const std::byte>(placement.buffers.send, offset),
          place_in<std::byte>(placement.buffers.recv, offset)};
}

namespace {

// The iteration's groups of calls: those of its operations side by side.
CallGroups fused(const Operation& operation, const Setting& setting, const Placement& placement,
                 std::uint64_t first_position, std::uint64_t grouped) {
  CallGroups fused_groups = operation.calls(setting, buffers_at(placement, first_position));
  for (std::uint64_t i = 1; i < grouped; ++i) {
    const CallGroups groups = operation.calls(setting, buffers_at(placement, first_position + i));
    for (std::size_t g = 0; g < groups.size(); ++g) {
      fused_groups[g].insert(fused_groups[g].end(), groups[g].begin(), groups[g].end());
    }
  }
  return fused_groups;
}

}  // namespace

PreparedCalls::PreparedCalls(const Operation& operation, const Setting& setting,
                             const Placement& placement, std::uint64_t iterations,
                             std::uint64_t grouped, std::uint64_t done) {
  constexpr std::uint64_t kLeastWalk = 1024;
  const std::uint64_t room = std::max<std::uint64_t>(placement.positions / grouped, 1);
  const std::uint64_t walk = std::min(room, std::max(iterations, kLeastWalk / grouped));
  iteration_bytes_ = grouped * placement.stride_bytes;
  walked_bytes_ = walk * iteration_bytes_;
  std::vector<std::size_t> sizes;
  for (std::uint64_t i = 0; i < walk; ++i) {
    const CallGroups groups = fused(operation, setting, placement, i * grouped, grouped);
    groups_per_iteration_ = groups.size();
    for (const std::vector<Call>& group : groups) {
      calls_.insert(calls_.end(), group.begin(), group.end());
      sizes.push_back(group.size());
    }
  }
  const Call* next = calls_.data();  // which stays where it is from now on
  for (const std::size_t size : sizes) {
    groups_.emplace_back(next, size);
    next += size;
  }
  next_ = done % walk * groups_per_iteration_;
}

void PreparedCalls::record(GraphCapture& graphs, std::uint64_t iterations, Communicator& comm,
                           Stream& stream) {
  graph_ = graphs.capture(stream, [&] { enqueue(iterations, comm, stream); });
  recorded_ = iterations;
  walked_bytes_ = std::min(walked_bytes_, iterations * iteration_bytes_);
}

// Nothing in these loops but the operations: it is what is measured.
void PreparedCalls::enqueue(std::uint64_t iterations, Communicator& comm, Stream& stream) {
  if (graph_) {
    for (std::uint64_t i = 0; i < iterations; i += recorded_) graph_->launch(stream);
    return;
  }
  const std::uint64_t groups = iterations * groups_per_iteration_;
  const std::span<const Call>* group = groups_.data() + next_;
  const std::span<const Call>* const end = groups_.data() + groups_.size();
  for (std::uint64_t i = 0; i < groups; ++i) {
    comm.enqueue(*group, stream);
    if (++group == end) group = groups_.data();
  }
  next_ = static_cast<std::size_t>(group - groups_.data());
}

}  // namespace collbench
