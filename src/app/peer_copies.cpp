// SPDX-License-Identifier: Apache-2.0
#include "app/peer_copies.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "results/copy_rows.h"

namespace collbench {

int ranks_of_each_host(const Environment& environment) {
  const auto hosts = ranks_by_host(environment);
  const std::size_t first = hosts.front().size();
  const bool equal =
      std::ranges::all_of(hosts, [&](const auto& ranks) { return ranks.size() == first; });
  return equal ? static_cast<int>(first) : 0;
}

PeerCopies::PeerCopies(ControlPlane& control, Device& device, const Environment& environment,
                       int shift)
    : control_(control) {
  const int rank = control.rank();
  const int peer = peer_rank(environment, rank, shift);
  const auto bus_id = [&](int of) {
    return environment.ranks.at(static_cast<std::size_t>(of)).device_bus_id;
  };
  if (bus_id(rank) != bus_id(peer)) device_ = device.peer(bus_id(peer));
  why_not_ = first_reason(own_reason(environment, peer));
  const bool cannot = device_ != nullptr && !device_->can_access();
  why_no_access_ = first_reason(
      cannot
          ? fmt::format("the GPUs of ranks {} and {} cannot access each other's memory", rank, peer)
          : "");
}

std::string PeerCopies::own_reason(const Environment& environment, int peer) const {
  if (device_ != nullptr) return "";
  const RankFacts& theirs = environment.ranks.at(static_cast<std::size_t>(peer));
  const RankFacts& own = environment.ranks.at(static_cast<std::size_t>(control_.rank()));
  if (own.device_bus_id == theirs.device_bus_id) {
    return fmt::format("ranks {} and {} have the same GPU", own.rank, peer);
  }
  return fmt::format(
      "the process of rank {} does not see the GPU {} of rank {}; let every process see all GPUs "
      "of its host (CUDA_VISIBLE_DEVICES)",
      own.rank, theirs.device_bus_id, peer);
}

std::string PeerCopies::first_reason(const std::string& mine) {
  const std::vector<std::string> all = control_.all_gather_text(mine);
  const auto first =
      std::ranges::find_if(all, [](const std::string& text) { return !text.empty(); });
  if (first == all.end()) return "";
  const auto others = static_cast<std::uint64_t>(
      std::count_if(first + 1, all.end(), [](const std::string& text) { return !text.empty(); }));
  if (others == 0) return *first;
  return fmt::format("{} (and likewise {} more)", *first, counted(others, "rank"));
}

void PeerCopies::allocate(Bytes bytes) { memory_ = device_->allocate(bytes); }

CopyWay PeerCopies::way(const std::byte* from, Stream& stream) {
  return {memory_->data(), from, [this, &stream](void* to, const void* source, Bytes bytes) {
            device_->copy_to(to, source, bytes, stream);
          }};
}

void PeerCopies::set_access(bool enabled) {
  control_.barrier();
  device_->set_access(enabled);
  control_.barrier();
}

}  // namespace collbench
