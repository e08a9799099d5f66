// SPDX-License-Identifier: Apache-2.0
#include "measure/prepared_calls.h"

#include <algorithm>

namespace collbench {

Buffers buffers_at(const Placement& placement, std::uint64_t position) {
  const Bytes offset = (position % placement.positions) * placement.stride_bytes;
  return {static_cast<const std::byte*>(placement.buffers.send) + offset,
          static_cast<std::byte*>(placement.buffers.recv) + offset};
}

PreparedCalls::PreparedCalls(const Operation& operation, const Setting& setting,
                             const Placement& placement, std::uint64_t operations) {
  constexpr std::uint64_t kLeastWalk = 1024;
  const std::uint64_t positions = std::min(placement.positions, std::max(operations, kLeastWalk));
  walked_bytes_ = positions * placement.stride_bytes;
  std::vector<std::size_t> sizes;
  for (std::uint64_t i = 0; i < positions; ++i) {
    const CallGroups groups = operation.calls(setting, buffers_at(placement, i));
    groups_per_operation_ = groups.size();
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
}

// Nothing in this loop but the operations: it is what is measured.
void PreparedCalls::enqueue(std::uint64_t operations, Communicator& comm, Stream& stream) {
  const std::uint64_t groups = operations * groups_per_operation_;
  const std::span<const Call>* group = groups_.data() + next_;
  const std::span<const Call>* const end = groups_.data() + groups_.size();
  for (std::uint64_t i = 0; i < groups; ++i) {
    comm.enqueue(*group, stream);
    if (++group == end) group = groups_.data();
  }
  next_ = static_cast<std::size_t>(group - groups_.data());
}

}  // namespace collbench
