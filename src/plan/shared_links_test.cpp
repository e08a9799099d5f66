// SPDX-License-Identifier: Apache-2.0
#include "plan/shared_links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

namespace collbench::plan {
namespace {

struct Start {
  TransferIndex transfer;
  double at_s, alone_s;
  std::vector<LinkIndex> links;
};

/// When each transfer ends.
std::map<TransferIndex, double> ends_of(std::vector<Start> starts) {
  SharedLinks links(4, 8);
  std::vector<SharedLinks::End> pending;
  std::map<TransferIndex, double> ends;
  const auto collect = [&] {
    for (const SharedLinks::End& end : links.take_moved()) pending.push_back(end);
  };
  while (!starts.empty() || !pending.empty()) {
    const auto next = std::min_element(pending.begin(), pending.end(),
                                       [](auto& a, auto& b) { return a.at_s < b.at_s; });
    const bool starts_first =
        !starts.empty() && (next == pending.end() || starts.front().at_s < next->at_s);
    if (starts_first) {
      const Start start = starts.front();
      starts.erase(starts.begin());
      links.begin(start.transfer, start.at_s, start.alone_s, start.links);
    } else {
      const SharedLinks::End end = *next;
      pending.erase(next);
      if (links.end(end)) ends[end.transfer] = end.at_s;
    }
    collect();
  }
  return ends;
}

using Ends = std::map<TransferIndex, double>;

TEST(SharedLinks, ATransferAloneTakesItsTime) {
  EXPECT_EQ(ends_of({{0, 1, 4, {0}}}), (Ends{{0, 5}}));
  EXPECT_EQ(ends_of({{0, 0, 4, {0}}, {1, 1, 4, {1}}}), (Ends{{0, 4}, {1, 5}}));
  EXPECT_EQ(ends_of({{0, 0, 4, {}}, {1, 1, 4, {}}}), (Ends{{0, 4}, {1, 5}}));
}

// Two seconds alone, four at half the speed; then the second has two left and the link for itself.
TEST(SharedLinks, TwoOnALinkAreHalfAsFastWhileBothLast) {
  EXPECT_EQ(ends_of({{0, 0, 4, {0}}, {1, 2, 4, {0}}}), (Ends{{0, 6}, {1, 8}}));
}

TEST(SharedLinks, TheBusiestLinkDecides) {
  EXPECT_EQ(ends_of({{0, 0, 2, {0, 1}}, {1, 0, 2, {1}}, {2, 0, 2, {1}}, {3, 0, 4, {0}}}),
            (Ends{{0, 6}, {1, 6}, {2, 6}, {3, 7}}));
}

TEST(SharedLinks, NothingIsLost) {
  const Ends ends = ends_of({{0, 0, 1, {0}}, {1, 0, 2, {0}}, {2, 0.5, 3, {0}}, {3, 1, 0, {0}}});
  double last = 0;
  for (const auto& [transfer, at_s] : ends) last = std::max(last, at_s);
  EXPECT_NEAR(last, 6, 1e-12);  // all of it, one after the other
  EXPECT_EQ(ends.at(3), 1);     // of nothing to send
}

}  // namespace
}  // namespace collbench::plan
