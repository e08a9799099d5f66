// SPDX-License-Identifier: Apache-2.0
#include "import/imb_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/errors.h"

namespace collbench {
namespace {

/// On how many hosts so many of the processes were; nothing where that depends on how they were
/// placed, and nobody told.
std::optional<int> hosts_of(int ranks, int most_ranks, const ImportFacts& facts) {
  if (facts.ranks_per_node) return hosts_given(facts, ranks);
  const int hosts = known<int>(std::nullopt, facts.nodes, "the number of hosts", "--nodes");
  if (hosts > most_ranks) {
    throw UserError(
        fmt::format("--nodes: there were {} processes, too few for {} hosts", most_ranks, hosts));
  }
  if (ranks == most_ranks || hosts == 1) return hosts;
  if (most_ranks % hosts != 0) return std::nullopt;
  const int of_host = most_ranks / hosts;
  const int one_after_the_other = (ranks + of_host - 1) / of_host;
  const int in_turns = std::min(ranks, hosts);
  return one_after_the_other == in_turns ? std::optional(in_turns) : std::nullopt;
}

}  // namespace

std::vector<std::string> set_hosts(std::vector<Record>& rows, int most_ranks,
                                   const ImportFacts& facts) {
  std::vector<Record> known_rows;
  std::set<int> unknown;
  for (Record& row : rows) {
    if (const auto hosts = hosts_of(row.key.ranks, most_ranks, facts)) {
      row.key.nodes = *hosts;
      known_rows.push_back(std::move(row));
    } else {
      unknown.insert(row.key.ranks);
    }
  }
  rows = std::move(known_rows);
  std::vector<std::string> left_out;
  for (const int ranks : unknown) {
    left_out.push_back(
        fmt::format("rows of {} of {} processes: on how many of the hosts these were is not told; "
                    "--ranks-per-node tells it: left out",
                    ranks, most_ranks));
  }
  return left_out;
}

}  // namespace collbench
