// SPDX-License-Identifier: Apache-2.0
#include "app/run_environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "results/host_environment.h"

namespace collbench {
namespace {

// The position of the host with this name, added at the end when it is new.
int host_index(std::vector<HostFacts>& hosts, const HostFacts& host) {
  const auto same = [&](const HostFacts& known) { return known.name == host.name; };
  const auto found = std::find_if(hosts.begin(), hosts.end(), same);
  if (found == hosts.end()) {
    hosts.push_back(host);
    return static_cast<int>(hosts.size()) - 1;
  }
  return static_cast<int>(found - hosts.begin());
}

std::vector<HostFacts> gather_hosts(ControlPlane& control, const HostFacts& mine) {
  const auto names = control.all_gather_text(mine.name);
  const auto models = control.all_gather_text(mine.cpu_model);
  const auto kernels = control.all_gather_text(mine.kernel);
  const auto digests = control.all_gather_text(mine.topology_digest);
  const auto cores = control.all_gather(mine.cores);
  const auto memories = control.all_gather(mine.memory_bytes);
  std::vector<HostFacts> by_rank;
  for (std::size_t r = 0; r < names.size(); ++r) {
    by_rank.push_back({names[r], models[r], cores[r], memories[r], kernels[r], digests[r]});
  }
  return by_rank;
}

}  // namespace

Environment gather_environment(ControlPlane& control, const DeviceFacts& device) {
  Environment environment;
  const std::vector<HostFacts> hosts = gather_hosts(control, host_facts());
  const auto models = control.all_gather_text(device.model);
  const auto bus_ids = control.all_gather_text(device.bus_id);
  const auto indices = control.all_gather(device.index);
  const auto pids = control.all_gather(static_cast<int>(getpid()));
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    RankFacts rank;
    rank.rank = static_cast<int>(r);
    rank.host = host_index(environment.hosts, hosts[r]);
    rank.pid = pids[r];
    rank.device = indices[r];
    rank.device_bus_id = bus_ids[r];
    rank.device_model = models[r];
    environment.ranks.push_back(std::move(rank));
  }
  environment.variables = recorded_variables();
  return environment;
}

}  // namespace collbench
