// SPDX-License-Identifier: Apache-2.0
// The fields of NCCL's ncclConfig_t as one table, for whoever reads them without NCCL's header.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/enum_rows.h"

namespace collbench {

enum class NcclField : std::uint8_t {
  blocking,
  cga_cluster_size,
  min_ctas,
  max_ctas,
  net_name,
  split_share,
  traffic_class,
  comm_name,
  collnet_enable,
  cta_policy,
  shrink_share,
  nvls_ctas,
  channels_per_net_peer,
  nvlink_centric_sched,
  graph_usage_mode,
  rma_contexts,
  max_p2p_peers,
  graph_stream_ordering,
};

struct NcclFieldRow {
  NcclField field;
  std::string_view name;  // as in nccl.h
  int since;              // the version that reads it, as ncclGetVersion gives it
  bool is_text = false;   // else a whole number, 0 or more
};

/// In the order of nccl.h. Source of the versions: parseCommConfig in NCCL's init.cc, and the
/// headers, where a field came later than it is read.
inline constexpr std::array<NcclFieldRow, 18> kNcclFields = {{
    {NcclField::blocking, "blocking", 21400},
    {NcclField::cga_cluster_size, "cgaClusterSize", 21700},
    {NcclField::min_ctas, "minCTAs", 21700},
    {NcclField::max_ctas, "maxCTAs", 21700},
    {NcclField::net_name, "netName", 21700, true},
    {NcclField::split_share, "splitShare", 21800},
    {NcclField::traffic_class, "trafficClass", 22600},
    {NcclField::comm_name, "commName", 22700, true},
    {NcclField::collnet_enable, "collnetEnable", 22700},
    {NcclField::cta_policy, "CTAPolicy", 22700},
    {NcclField::shrink_share, "shrinkShare", 22700},
    {NcclField::nvls_ctas, "nvlsCTAs", 22700},
    {NcclField::channels_per_net_peer, "nChannelsPerNetPeer", 22800},
    {NcclField::nvlink_centric_sched, "nvlinkCentricSched", 22800},
    {NcclField::graph_usage_mode, "graphUsageMode", 22900},
    {NcclField::rma_contexts, "numRmaCtx", 22900},
    {NcclField::max_p2p_peers, "maxP2pPeers", 23000},
    {NcclField::graph_stream_ordering, "graphStreamOrdering", 23005},
}};
static_assert(in_enum_order(kNcclFields, &NcclFieldRow::field));

/// What a communicator is made with, by name of the field; the rest is NCCL's to choose.
using NcclConfig = std::map<std::string, std::string>;

constexpr const NcclFieldRow& row_of(NcclField field) {
  return kNcclFields[static_cast<std::size_t>(field)];
}

}  // namespace collbench
