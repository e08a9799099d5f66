// SPDX-License-Identifier: Apache-2.0
#include "cli/routing_flags.h"

#include <fmt/format.h>

#include "results/open_file.h"

namespace collbench {

std::string routing_help() {
  std::string names;
  for (const routing::DistributionRow& row : routing::kDistributions) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", named_with_parameter(row));
  }
  return fmt::format(
      "how tokens choose experts: {}; then, as in zipf:1.2,seed:7, any of seed:N, groups:N/K, "
      "capacity:FACTOR ({})",
      names, to_text(routing::RoutingSpec()));
}

routing::Routing read_routing(std::string_view text, std::string_view flag) {
  const routing::RoutingSpec spec = routing::parse_routing_spec(text, flag);
  return routing::routing_of(spec, spec.path.empty() ? std::string() : read_file(spec.path));
}

}  // namespace collbench
