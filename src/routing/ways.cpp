// SPDX-License-Identifier: Apache-2.0
#include "routing/ways.h"

#include <algorithm>

#include "routing/expected.h"

namespace collbench::routing {
namespace {

Way way_of(std::string_view name, std::string_view row_for, const Matrix& rows,
           std::optional<double> expected) {
  Way way = {name, row_for, 0, 0, 0, 0, expected};
  way.rows = static_cast<double>(all_rows(rows)) / rows.ranks();
  way.moved_rows = static_cast<double>(moved_rows(rows)) / rows.ranks();
  for (int rank = 0; rank < rows.ranks(); ++rank) {
    const std::uint64_t stays = rows.at(rank, rank);
    way.most_sent = std::max(way.most_sent, static_cast<double>(rows.sent_by(rank) - stays));
    way.most_received =
        std::max(way.most_received, static_cast<double>(rows.received_by(rank) - stays));
  }
  return way;
}

/// Where a token has experts in so many of `groups` groups, all alike, its rank's among them.
std::optional<double> moved(const Shape& shape, std::optional<double> distinct, int groups) {
  if (!distinct) return std::nullopt;
  return static_cast<double>(shape.tokens) * *distinct * (groups - 1) / groups;
}

Way gathered(const Shape& shape, int gathering) {
  const auto tokens = static_cast<double>(shape.tokens);
  const double others = tokens * (gathering - 1);
  return {"allgather", "token and rank", tokens * gathering, others, others, others, others};
}

}  // namespace

std::vector<Way> ways(const RoutingSpec& spec, const Shape& shape, const Rows& rows,
                      int gathering) {
  // Formulas know nothing of dropped copies, nor of ranks that choose differently.
  const bool is_whole = !rows.capacity && spec.distribution != Distribution::file;
  std::vector<Way> all = {
      way_of("alltoall", "copy", copies(rows.kept),
             is_whole ? std::optional(expected_moved_copies(shape)) : std::nullopt)};
  if (rows.capacity) {
    const Matrix padded = padded_copies(shape, *rows.capacity);
    all.push_back(way_of("padded", "place", padded,
                         static_cast<double>(padded.sent_by(0) - padded.at(0, 0))));
  }
  if (rows.deduplicated) {
    const auto distinct = [&](int groups) {
      return is_whole ? expected_distinct(spec, shape, groups) : std::nullopt;
    };
    const auto ranks = distinct(shape.ranks);
    all.push_back(way_of("per_rank", "token and rank", rows.deduplicated->per_rank,
                         moved(shape, ranks, shape.ranks)));
    if (nodes(shape) > 1) {
      all.push_back(way_of("per_node", "token and node", rows.deduplicated->per_node,
                           moved(shape, distinct(nodes(shape)), nodes(shape))));
      all.push_back(way_of("fan_out", "token and rank", rows.deduplicated->fan_out,
                           moved(shape, ranks, shape.ranks_per_node)));
    }
  }
  all.push_back(gathered(shape, gathering));
  return all;
}

}  // namespace collbench::routing
