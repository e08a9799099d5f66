// SPDX-License-Identifier: Apache-2.0
#include "app/run_environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "comm/host_limits.h"
#include "results/host_environment.h"
#include "results/json.h"

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

RankFacts rank_facts(int rank, const DeviceFacts& device) {
  return {.rank = rank,
          .host = 0,  // to be found once all hosts are known
          .pid = getpid(),
          .device = device.index,
          .device_bus_id = device.bus_id,
          .device_model = device.model,
          .cpus = format_cores(allowed_cores())};
}

}  // namespace

Environment gather_environment(ControlPlane& control, const DeviceFacts& device) {
  const auto hosts = control.all_gather_text(to_json_line(host_facts()));
  const auto ranks = control.all_gather_text(to_json_line(rank_facts(control.rank(), device)));
  Environment environment;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::string source = fmt::format("rank {}", r);
    RankFacts rank = rank_from_json(ranks[r], source);
    rank.host = host_index(environment.hosts, host_from_json(hosts[r], source));
    environment.ranks.push_back(std::move(rank));
  }
  environment.variables = recorded_variables();
  return environment;
}

}  // namespace collbench
