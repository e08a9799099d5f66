// SPDX-License-Identifier: Apache-2.0
// SharedLinks: how long transfers take that go over the same links at the same time.
//
// A link gives each of its transfers an equal part. A transfer is as fast as the busiest of its
// links lets it be; what it then leaves of the others nobody gets.
#pragma once

#include <cstdint>
#include <vector>

namespace collbench::plan {

using LinkIndex = std::uint32_t;
using TransferIndex = std::uint32_t;

class SharedLinks {
 public:
  /// When a transfer ends, if nothing changes until then. A later one of the same transfer holds.
  struct End {
    double at_s = 0;
    TransferIndex transfer = 0;
    std::uint32_t version = 0;
  };

  SharedLinks(std::size_t links, std::size_t transfers) : active_(links), transfers_(transfers) {}

  /// It takes `alone_s` if it has its links for itself. Times never go back.
  void begin(TransferIndex transfer, double now_s, double alone_s, std::vector<LinkIndex> links);

  /// Whether this is how the transfer ends. If so, it leaves its links.
  bool end(const End& end);

  /// The ends that begin() and end() have moved since the last call.
  std::vector<End> take_moved();

 private:
  struct Transfer {
    double left_s = 0;  // alone
    double since_s = 0;
    double speed = 0;
    std::uint32_t version = 0;
    std::vector<LinkIndex> links;
  };

  void share_again(LinkIndex link, double now_s);
  void set_speed(TransferIndex transfer, double now_s);

  std::vector<std::vector<TransferIndex>> active_;  // by link
  std::vector<Transfer> transfers_;
  std::vector<End> moved_;
};

}  // namespace collbench::plan
