// SPDX-License-Identifier: Apache-2.0
#include "tools/routing_json.h"

#include "model/routing.h"
#include "results/json_value.h"

namespace collbench {
namespace {

Json to_node(const routing::Shape& shape) {
  return {{"ranks", shape.ranks},
          {"ranks_per_node", shape.ranks_per_node},
          {"tokens_per_rank", shape.tokens},
          {"experts", shape.experts},
          {"experts_per_token", shape.per_token},
          {"groups", shape.groups.groups},
          {"groups_per_token", shape.groups.per_token}};
}

Json to_node(const routing::Imbalance& imbalance) {
  return {{"rank_max_over_mean", imbalance.rank_max_over_mean},
          {"max_violation", imbalance.max_violation},
          {"dropped_share", imbalance.dropped_share},
          {"padded_share", imbalance.padded_share}};
}

Json to_node(const routing::Way& way, Bytes row_bytes, Bytes float8_row_bytes) {
  return {{"way", way.name},
          {"rows_per_rank", way.rows},
          {"moved_rows_per_rank", way.moved_rows},
          {"expected_moved_rows_per_rank", or_null(way.expected_moved_rows)},
          {"most_sent_rows", way.most_sent},
          {"most_received_rows", way.most_received},
          {"logical_bytes_per_rank", way.rows * static_cast<double>(row_bytes)},
          {"bus_bytes_per_rank", way.moved_rows * static_cast<double>(row_bytes)},
          {"float8_bus_bytes_per_rank", way.moved_rows * static_cast<double>(float8_row_bytes)}};
}

}  // namespace

std::string routing_json(const RoutingOptions& options, const routing::Rows& rows,
                         const std::vector<routing::Way>& ways,
                         const std::vector<routing::Imbalance>& steps) {
  const Bytes row_bytes = options.model.hidden * size_of(options.step.activations);
  const Bytes float8_row_bytes = model::float8_row_bytes(options.model.hidden);
  Json node = {{"schema_version", "1.0"},
               {"model", options.model.name},
               {"routing", identity(options.routing)},
               {"layer", options.layer},
               {"micro_batch", options.micro_batch},
               {"shape", to_node(options.shape)},
               {"row_bytes", row_bytes},
               {"float8_row_bytes", float8_row_bytes},
               {"ways", Json::array()},
               {"rows_by_expert", rows.kept.loads()},
               {"imbalance", to_node(imbalance_of(rows))}};
  for (const routing::Way& way : ways) {
    node["ways"].push_back(to_node(way, row_bytes, float8_row_bytes));
  }
  if (!steps.empty()) node["balancing"] = Json::array();
  for (const routing::Imbalance& step : steps) node["balancing"].push_back(to_node(step));
  return node.dump(2) + "\n";
}

}  // namespace collbench
