// SPDX-License-Identifier: Apache-2.0
#include "plan/shared_links.h"

#include <algorithm>
#include <utility>

namespace collbench::plan {

void SharedLinks::begin(TransferIndex transfer, double now_s, double alone_s,
                        std::vector<LinkIndex> links) {
  Transfer& t = transfers_[transfer];
  t.left_s = alone_s;
  t.since_s = now_s;
  t.links = std::move(links);
  for (const LinkIndex link : t.links) active_[link].push_back(transfer);
  set_speed(transfer, now_s);
  for (const LinkIndex link : t.links) share_again(link, now_s);
}

bool SharedLinks::end(const End& end) {
  Transfer& t = transfers_[end.transfer];
  if (end.version != t.version) return false;
  ++t.version;
  for (const LinkIndex link : t.links) std::erase(active_[link], end.transfer);
  for (const LinkIndex link : t.links) share_again(link, end.at_s);
  return true;
}

std::vector<SharedLinks::End> SharedLinks::take_moved() { return std::exchange(moved_, {}); }

void SharedLinks::share_again(LinkIndex link, double now_s) {
  for (const TransferIndex transfer : active_[link]) set_speed(transfer, now_s);
}

void SharedLinks::set_speed(TransferIndex transfer, double now_s) {
  Transfer& t = transfers_[transfer];
  std::size_t most = 1;
  for (const LinkIndex link : t.links) most = std::max(most, active_[link].size());
  const double speed = 1.0 / static_cast<double>(most);
  if (speed == t.speed) return;
  t.left_s = std::max(0.0, t.left_s - t.speed * (now_s - t.since_s));
  t.since_s = now_s;
  t.speed = speed;
  moved_.push_back({now_s + t.left_s / speed, transfer, ++t.version});
}

}  // namespace collbench::plan
