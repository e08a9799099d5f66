// SPDX-License-Identifier: Apache-2.0
// Writes what the tools say of models, layouts and traffic as JSON.
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/model_json.h"

namespace collbench::model {
namespace {

using Json = nlohmann::ordered_json;

/// Bytes are whole, formulas are not.
std::uint64_t whole(double bytes) { return static_cast<std::uint64_t>(std::llround(bytes)); }

std::string text_of(const Json& json) {
  // A name in a user's file may be any text.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json to_node(const Layout& layout) {
  Json node = {{"ranks", ranks(layout)},
               {"tp", layout.tp},
               {"cp", layout.cp},
               {"dp", layout.dp},
               {"replicas", layout.replicas},
               {"pp", layout.pp},
               {"vpp", layout.vpp},
               {"ep", layout.ep},
               {"etp", expert_tp(layout)},
               {"edp", expert_dp(layout)},
               {"order", format(layout.order)}};
  if (layout.cp_a2a > 1) node["cp_a2a"] = layout.cp_a2a;
  if (!layout.stage_layers.empty()) node["stage_layers"] = layout.stage_layers;
  return node;
}

Json to_node(const ParameterCount& count) {
  return {{"dense", count.dense}, {"expert", count.expert}};
}

Json to_node(const AccountedStates& states) {
  return {{"accounting", states.accounting->name},
          {"parameter_bytes", whole(states.bytes.parameters)},
          {"gradient_bytes", whole(states.bytes.gradients)},
          {"optimizer_bytes", whole(states.bytes.optimizer)},
          {"total_bytes", whole(states.bytes.total())}};
}

Json to_node(const RankSummary& rank) {
  Json node = {{"layout", to_node(rank.layout)},
               {"parameters_by_pipeline_position", Json::array()},
               {"largest_pipeline_position", rank.largest_pp},
               {"states", Json::array()},
               {"fsdp2_transient_bytes", whole(rank.fsdp2_transient_bytes)},
               {"activations_korthikanti_bytes", whole(rank.activations.korthikanti)}};
  for (const ParameterCount& count : rank.parameters) {
    node["parameters_by_pipeline_position"].push_back(to_node(count));
  }
  for (const AccountedStates& states : rank.states) node["states"].push_back(to_node(states));
  if (rank.activations.megatron) {
    node["activations_megatron_bytes"] = whole(*rank.activations.megatron);
  }
  node["activations_edges_bytes"] = whole(rank.activations.edges);
  return node;
}

Json to_node(const ModelSummary& summary) {
  Json node = {{"name", summary.model.name},
               {"source", summary.model.source},
               {"parameters", summary.parameters},
               {"active_parameters", summary.active_parameters},
               {"layers", summary.model.layers},
               {"hidden", summary.model.hidden},
               {"vocabulary", summary.model.vocabulary},
               {"sequence_tokens", summary.sequence},
               {"forward_flops_per_token",
                {{"matrices", summary.forward.matrices},
                 {"attention", summary.forward.attention},
                 {"head", summary.forward.head}}},
               {"training_flops_per_token", summary.training_flops},
               {"executed_flops_per_token", summary.executed_flops},
               {"training_flops_per_token_full_attention", summary.training_flops_full_attention}};
  if (summary.rank) node["rank"] = to_node(*summary.rank);
  return node;
}

/// Absent: how many operations there are depends on how buckets are cut.
Json to_node(const Volume& volume, const Layout& layout) {
  Json node = {{"collective", traffic::row_of(volume.collective).name},
               {"axis", name_of(volume.axis)},
               {"ranks", size_of(layout, volume.axis)}};
  if (volume.operations > 0) node["operations"] = volume.operations;
  node["message_bytes"] = volume.message_bytes;
  node["sent_bytes"] = whole(sent_bytes(volume, layout));
  return node;
}

}  // namespace

std::string to_json(const std::vector<ModelSummary>& summaries) {
  Json models = Json::array();
  for (const ModelSummary& summary : summaries) models.push_back(to_node(summary));
  return text_of({{"models", models}});
}

std::string to_json(const Layout& layout, const std::vector<AxisGroups>& axes) {
  Json node = {{"layout", to_node(layout)}, {"axes", Json::array()}};
  for (const AxisGroups& axis : axes) {
    Json groups = Json::array();
    for (std::size_t i = 0; i < axis.groups.size(); ++i) {
      groups.push_back({{"ranks", axis.groups[i]}, {"nodes", axis.nodes[i]}});
    }
    node["axes"].push_back(
        {{"axis", name_of(axis.axis)}, {"crossing_nodes", axis.crossing}, {"groups", groups}});
  }
  return text_of(node);
}

std::string to_json(const Layout& layout, const std::vector<SchemeTraffic>& schemes) {
  Json node = {{"layout", to_node(layout)}, {"schemes", Json::array()}};
  for (const SchemeTraffic& scheme : schemes) {
    Json volumes = Json::array();
    for (const Volume& volume : scheme.volumes) {
      volumes.push_back(to_node(volume, layout));
    }
    Json entry = {{"scheme", scheme.name}, {"volumes", volumes}};
    if (!scheme.reason.empty()) entry["reason"] = scheme.reason;
    node["schemes"].push_back(entry);
  }
  return text_of(node);
}

}  // namespace collbench::model
