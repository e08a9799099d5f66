// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/config_of.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "base/named_rows.h"

namespace collbench {
namespace {

// Only texts and numbers that its header knows can be put into the structure.
void set(ncclConfig_t& config, NcclField field, const std::string& value) {
  const auto number = [&] { return std::stoi(value); };
  switch (field) {
    case NcclField::blocking:
      config.blocking = number();
      return;
    case NcclField::cga_cluster_size:
      config.cgaClusterSize = number();
      return;
    case NcclField::min_ctas:
      config.minCTAs = number();
      return;
    case NcclField::max_ctas:
      config.maxCTAs = number();
      return;
    case NcclField::net_name:
      config.netName = value.c_str();
      return;
    case NcclField::split_share:
      config.splitShare = number();
      return;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 26, 0)
    case NcclField::traffic_class:
      config.trafficClass = number();
      return;
#endif
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
    case NcclField::comm_name:
      config.commName = value.c_str();
      return;
    case NcclField::collnet_enable:
      config.collnetEnable = number();
      return;
    case NcclField::cta_policy:
      config.CTAPolicy = number();
      return;
    case NcclField::shrink_share:
      config.shrinkShare = number();
      return;
    case NcclField::nvls_ctas:
      config.nvlsCTAs = number();
      return;
#endif
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
    case NcclField::channels_per_net_peer:
      config.nChannelsPerNetPeer = number();
      return;
    case NcclField::nvlink_centric_sched:
      config.nvlinkCentricSched = number();
      return;
#endif
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 29, 0)
    case NcclField::graph_usage_mode:
      config.graphUsageMode = number();
      return;
    case NcclField::rma_contexts:
      config.numRmaCtx = number();
      return;
#endif
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 30, 0)
    case NcclField::max_p2p_peers:
      config.maxP2pPeers = number();
      return;
#endif
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 30, 5)
    case NcclField::graph_stream_ordering:
      config.graphStreamOrdering = number();
      return;
#endif
    default:
      throw std::logic_error(
          fmt::format("this build's nccl.h has no {} in ncclConfig_t", row_of(field).name));
  }
}

}  // namespace

ncclConfig_t nccl_config_of(const NcclConfig& config) {
  ncclConfig_t made = NCCL_CONFIG_INITIALIZER;
  for (const auto& [name, value] : config) {
    set(made, find_named(kNcclFields, name, "config", "field of ncclConfig_t").field, value);
  }
  return made;
}

}  // namespace collbench
