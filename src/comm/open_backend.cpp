// SPDX-License-Identifier: Apache-2.0
#include "comm/open_backend.h"

#include <vector>

#include "base/host.h"
#include "base/version.h"
#include "comm/mpi/host_backend.h"
#include "comm/plugin.h"

namespace collbench {
namespace {

std::vector<BackendOffer> gather_offers(const BackendOffer& mine, ControlPlane& control) {
  const std::vector<std::string> hosts = control.all_gather_text(mine.host);
  const std::vector<std::string> reasons = control.all_gather_text(mine.no_nccl);
  const std::vector<std::string> files = control.all_gather_text(mine.nccl_file);
  std::vector<BackendOffer> offers;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    offers.push_back({hosts[rank], reasons[rank], files[rank]});
  }
  return offers;
}

}  // namespace

OpenedBackend open_backend(BackendChoice choice, const std::string& nccl_library,
                           MpiSession& session) {
  // The host backend was asked for: whatever a plugin does when it is loaded is not wanted.
  if (choice == BackendChoice::mpi) {
    return {make_host_process(session), false, decide_backend(choice, {}).note};
  }
  const Plugin plugin = load_plugin(plugin_paths(program_path(), "nccl"), build_id(), nccl_library);
  const std::vector<BackendOffer> offers =
      gather_offers({host_name(), plugin.reason, plugin.path.string()}, session.control_plane());
  const BackendDecision decision = decide_backend(choice, offers);
  return {decision.nccl ? plugin.make_process() : make_host_process(session), decision.nccl,
          decision.note};
}

}  // namespace collbench
