// SPDX-License-Identifier: Apache-2.0
#include "results/copy_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "results/operation_rows.h"
#include "results/table.h"
#include "results/units.h"
#include "statistics/statistics.h"

namespace collbench {
namespace {

constexpr std::string_view kPeerCopy = "peer_copy_";

const RankFacts& facts_of(const Environment& environment, int rank) {
  return environment.ranks.at(static_cast<std::size_t>(rank));
}

bool is_copy(const Record& row) {
  const std::string& mode = row.key.mode;
  const bool by_itself =
      mode == operation_modes::alone.name || mode == operation_modes::together.name;
  return by_itself && row.timing && row.timing->rank_median_s.size() > 1;
}

std::string where(const Environment& environment, std::string_view operation, int rank) {
  const RankFacts& facts = facts_of(environment, rank);
  std::string devices = facts.device_bus_id;
  if (const auto shift = shift_of(operation)) {
    devices += " to " + facts_of(environment, peer_rank(environment, rank, *shift)).device_bus_id;
  }
  const std::string& host = environment.hosts.at(static_cast<std::size_t>(facts.host)).name;
  return fmt::format("on {} [{}]", host, devices);
}

std::string slowest_line(const Environment& environment, const Record& row) {
  const std::vector<double>& times_s = row.timing->rank_median_s;
  const auto [least, most] = std::ranges::minmax_element(times_s);
  if (*least <= 0 || *least == *most) return "";
  const int rank = static_cast<int>(most - times_s.begin());
  const auto rate_GBps = [&](double time_s) {
    return GBps_from_Bps(static_cast<double>(row.key.message_bytes) / time_s);
  };
  return comment_line(
      fmt::format("slowest of {} {}, {} B: {} {}: {:.2f} GB/s (median of {} "
                  "ranks: {:.2f})",
                  row.key.collective, row.key.mode, row.key.message_bytes,
                  who_copies(environment, row.key.collective, rank),
                  where(environment, row.key.collective, rank), rate_GBps(*most), times_s.size(),
                  rate_GBps(statistics::median(times_s))));
}

}  // namespace

std::string peer_copy_name(int shift, bool with_access) {
  return fmt::format("{}{}_{}", kPeerCopy, shift, with_access ? "access" : "no_access");
}

std::optional<int> shift_of(std::string_view operation) {
  if (!operation.starts_with(kPeerCopy)) return std::nullopt;
  operation.remove_prefix(kPeerCopy.size());
  int shift = 0;
  const char* const end = operation.data() + operation.size();
  const auto [rest, error] = std::from_chars(operation.data(), end, shift);
  if (error != std::errc() || rest == end || *rest != '_') return std::nullopt;
  return shift;
}

std::vector<std::vector<int>> ranks_by_host(const Environment& environment) {
  std::vector<std::vector<int>> hosts(environment.hosts.size());
  for (const RankFacts& facts : environment.ranks) {
    hosts.at(static_cast<std::size_t>(facts.host)).push_back(facts.rank);
  }
  return hosts;
}

int peer_rank(const Environment& environment, int rank, int shift) {
  const auto hosts = ranks_by_host(environment);
  const auto& ranks = hosts.at(static_cast<std::size_t>(facts_of(environment, rank).host));
  const auto place = std::find(ranks.begin(), ranks.end(), rank) - ranks.begin();
  return ranks[(static_cast<std::size_t>(place) + static_cast<std::size_t>(shift)) % ranks.size()];
}

std::string who_copies(const Environment& environment, std::string_view operation, int rank) {
  const auto shift = shift_of(operation);
  if (!shift) return fmt::format("rank {}", rank);
  return fmt::format("rank {} to rank {}", rank, peer_rank(environment, rank, *shift));
}

std::string slowest_copies(const Document& document) {
  std::vector<const Record*> largest;
  std::map<std::pair<std::string, std::string>, std::size_t> places;  // by operation and mode
  for (const Record& row : document.rows) {
    if (!is_copy(row)) continue;
    const auto [found, is_new] =
        places.emplace(std::pair(row.key.collective, row.key.mode), largest.size());
    if (is_new) largest.push_back(&row);
    const Record*& known = largest[found->second];
    if (row.key.message_bytes > known->key.message_bytes) known = &row;
  }
  std::string text;
  for (const Record* row : largest) text += slowest_line(document.environment, *row);
  return text;
}

}  // namespace collbench
