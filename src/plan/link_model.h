// SPDX-License-Identifier: Apache-2.0
// LinkModel: how long a message takes, from latency and bandwidth.
//
//   t(S) = latency + S / bandwidth
//
// by operation, group size and whether a group stays within a node: as measured where a
// measurement is given, else from the two kinds of link that a cluster has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "traffic/traffic.h"

namespace collbench::plan {

/// What one rank can send, in one direction.
struct Link {
  double latency_s = 0;
  double bandwidth_Bps = 0;
};

/// t(S) of one operation on one kind of group, for S of at least `from_bytes`.
struct MeasuredLink {
  Collective operation = Collective::all_reduce;  // sendrecv stands for sends and receives
  int ranks = 2;
  int nodes = 1;
  Bytes from_bytes = 0;
  double latency_s = 0;
  double bandwidth_Bps = 0;  // S over time: not multiplied by the bus factor
};

struct LinkModel {
  int ranks_per_node = 8;
  Link node{2e-6, 450e9};    // between ranks of a node
  Link network{5e-6, 50e9};  // of each rank, to other nodes
  bool shared = true;        // by what goes over it at the same time; else all have it whole
  std::vector<MeasuredLink> measured = {};
};

/// The ranks of a group, and on how many nodes they are.
struct GroupPlace {
  int ranks = 1;
  int nodes = 1;
};

/// By the global ranks of its members; every `ranks_per_node` ranks share a node.
GroupPlace place_of(const LinkModel& links, const std::vector<int>& members);

/// What an operation takes that has its links for itself.
struct LinkTime {
  double latency_s = 0;
  double transfer_s = 0;  // of which others, at the same time, take their part
  double total_s() const { return latency_s + transfer_s; }
};

/// Of an operation of S = `bytes`; nothing for one rank.
///
/// Without a measurement: rounds * latency + S * bus factor / bandwidth, with the rounds and the
/// factor of traffic/traffic.h. Within a node, the node's link. Across nodes the network's latency,
/// and the bandwidth of as many network links as the group has ranks on a node, since rings then
/// leave a node by all of them; never more than the node's own.
///
/// A measurement of another group size is scaled: latency by rounds, bandwidth by bus factors. The
/// nearest size of the same kind (within a node, or not) counts.
LinkTime collective_time(const LinkModel& links, Collective operation, GroupPlace group,
                         Bytes bytes);

/// Whether `measured` says how long an operation takes within a node, or across nodes.
bool is_measured(const LinkModel& links, Collective operation, bool within_node);

/// Of a message from one rank to another.
LinkTime transfer_time(const LinkModel& links, bool within_node, Bytes bytes);

/// Reads the lines that `describe` writes; '#' starts a comment. `source` names the text in
/// messages. Throws UserError, with the number of the line, and for a text without links.
std::vector<MeasuredLink> parse_measured_links(std::string_view text, std::string_view source);

/// "all_reduce ranks 8 nodes 1 from_bytes 0 latency_us 12.5 bandwidth_GBps 230"
std::string describe(const MeasuredLink& link);

}  // namespace collbench::plan
