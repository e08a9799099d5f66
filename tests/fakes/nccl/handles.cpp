// SPDX-License-Identifier: Apache-2.0
#include "handles.h"

#include <string>

#include "errors.h"

namespace fakenccl {
namespace {

constexpr unsigned kConfigMagic = 0xcafebeef;

/// Whether a field is unset or in its range.
bool within(int value, int least, int most) {
  return value == NCCL_CONFIG_UNDEF_INT || (value >= least && value <= most);
}

const char* bad_field(const ncclConfig_t& c) {
  if (!within(c.blocking, 0, 1)) return "blocking";
  if (!within(c.cgaClusterSize, 0, 8)) return "cgaClusterSize";
  if (!within(c.minCTAs, 1, INT_MAX)) return "minCTAs";
  if (!within(c.maxCTAs, 1, INT_MAX)) return "maxCTAs";
  const bool both = c.minCTAs != NCCL_CONFIG_UNDEF_INT && c.maxCTAs != NCCL_CONFIG_UNDEF_INT;
  if (both && c.minCTAs > c.maxCTAs) return "minCTAs above maxCTAs";
  if (!within(c.splitShare, 0, 1)) return "splitShare";
  if (!within(c.collnetEnable, 0, 1)) return "collnetEnable";
  if (!within(c.CTAPolicy, NCCL_CTA_POLICY_DEFAULT, NCCL_CTA_POLICY_ZERO)) return "CTAPolicy";
  if (!within(c.shrinkShare, 0, 1)) return "shrinkShare";
  if (!within(c.nvlsCTAs, 1, INT_MAX)) return "nvlsCTAs";
  if (!within(c.nChannelsPerNetPeer, 1, INT_MAX)) return "nChannelsPerNetPeer";
  if (!within(c.nvlinkCentricSched, 0, 1)) return "nvlinkCentricSched";
  return nullptr;
}

}  // namespace

ncclResult_t check_handle(ncclComm_t comm) {
  if (comm && comm->magic == kLive) return ncclSuccess;
  return error(ncclInvalidArgument, "this is no communicator");
}

ncclResult_t check_ready(ncclComm_t comm) {
  const ncclResult_t handle = check_handle(comm);
  if (handle != ncclSuccess) return handle;
  const ncclResult_t state = comm->core->state();
  if (state == ncclInProgress) {
    return error(ncclInvalidArgument, "the communicator's last operation is still in progress");
  }
  if (state == ncclSuccess && comm->core->finalized) {
    return error(ncclInvalidArgument, "the communicator is finalized");
  }
  return state;
}

ncclResult_t check_usable(ncclComm_t comm) {
  if (const ncclResult_t ready = check_ready(comm); ready != ncclSuccess) return ready;
  return comm->core->revoked ? error(ncclInvalidUsage, "the communicator is revoked") : ncclSuccess;
}

ncclResult_t check_config(const ncclConfig_t* config, bool& blocking) {
  blocking = true;
  if (!config) return ncclSuccess;
  if (config->magic != kConfigMagic || config->size < sizeof(ncclConfig_t)) {
    return error(ncclInvalidArgument, "the configuration was not made by NCCL_CONFIG_INITIALIZER");
  }
  if (const char* field = bad_field(*config)) {
    return error(ncclInvalidArgument, std::string("configuration: bad value of ") + field);
  }
  blocking = config->blocking != 0;
  return ncclSuccess;
}

std::string text_of(const ncclConfig_t& c) {
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    text += (text.empty() ? "" : " ") + std::string(name) + "=" + value;
  };
  const auto number = [&](const char* name, int value) {
    if (value != NCCL_CONFIG_UNDEF_INT) add(name, std::to_string(value));
  };
  const auto name = [&](const char* field, const char* value) {
    if (value != NCCL_CONFIG_UNDEF_PTR) add(field, value);
  };
  number("blocking", c.blocking);
  number("cgaClusterSize", c.cgaClusterSize);
  number("minCTAs", c.minCTAs);
  number("maxCTAs", c.maxCTAs);
  name("netName", c.netName);
  number("splitShare", c.splitShare);
  number("trafficClass", c.trafficClass);
  name("commName", c.commName);
  number("collnetEnable", c.collnetEnable);
  number("CTAPolicy", c.CTAPolicy);
  number("shrinkShare", c.shrinkShare);
  number("nvlsCTAs", c.nvlsCTAs);
  number("nChannelsPerNetPeer", c.nChannelsPerNetPeer);
  number("nvlinkCentricSched", c.nvlinkCentricSched);
  return text;
}

}  // namespace fakenccl
