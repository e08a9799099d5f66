// SPDX-License-Identifier: Apache-2.0
#include "measure/alignment.h"

#include <algorithm>
#include <map>

namespace collbench {
namespace {

constexpr Bytes kRoom = 64;  // a byte to send, and one to receive in each of 31 rounds at most

}  // namespace

Alignment::Alignment(std::unique_ptr<Communicator> comm, Device& device,
                     std::vector<int> clock_of_rank)
    : comm_(std::move(comm)),
      memory_(device.allocate(kRoom, MemoryKind::device)),
      clock_of_rank_(std::move(clock_of_rank)) {
  const int n = comm_->size();
  std::byte* received = memory_->data();
  for (std::int64_t distance = 1; distance < n; distance *= 2) {
    const auto other = [&](std::int64_t places) {
      return static_cast<int>((comm_->rank() + n + places) % n);
    };
    rounds_.push_back({recv(++received, 1, DataType::int8, other(-distance)),
                       send(memory_->data(), 1, DataType::int8, other(distance))});
  }
}

void Alignment::align(Stream& stream) {
  for (const std::vector<Call>& round : rounds_) comm_->enqueue(round, stream);
  stream.synchronize();
}

std::optional<double> Alignment::exit_skew_s(std::span<const double> left_s) const {
  std::map<int, std::vector<double>> by_clock;
  for (std::size_t rank = 0; rank < left_s.size(); ++rank) {
    by_clock[clock_of_rank_.at(rank)].push_back(left_s[rank]);
  }
  std::optional<double> most;
  for (const auto& [clock, times] : by_clock) {
    if (times.size() < 2) continue;
    const auto [first, last] = std::minmax_element(times.begin(), times.end());
    most = std::max(most.value_or(0), *last - *first);
  }
  return most;
}

}  // namespace collbench
