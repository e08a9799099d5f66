// SPDX-License-Identifier: Apache-2.0
#include "analysis/measurement_key.h"

#include <fmt/format.h>

#include <vector>

namespace collbench {
namespace {

/// A name made of parts, the later ones only where they are not as usual.
class Name {
 public:
  explicit Name(std::string text) : text_(std::move(text)) {}

  void add(std::string_view part) { text_.append("/").append(part); }

  template <class Value>
  void add(std::string_view label, const Value& value) {
    text_ += fmt::format("/{}:{}", label, value);
  }

  template <class Value>
  void add_unless(const Value& usual, std::string_view label, const Value& value) {
    if (value != usual) add(label, value);
  }

  template <class Value>
  void add_if(std::string_view label, const std::optional<Value>& value) {
    if (value) add(label, *value);
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void add_layout(Name& name, const model::Layout& layout) {
  const model::Layout usual;
  name.add_unless(usual.tp, "tp", layout.tp);
  name.add_unless(usual.cp, "cp", layout.cp);
  name.add_unless(usual.cp_a2a, "cp_a2a", layout.cp_a2a);
  name.add_unless(usual.ep, "ep", layout.ep);
  name.add_if("etp", layout.etp);
  name.add_unless(usual.dp, "dp", layout.dp);
  name.add_unless(usual.replicas, "replicas", layout.replicas);
  name.add_unless(usual.pp, "pp", layout.pp);
  name.add_unless(usual.vpp, "vpp", layout.vpp);
  name.add_unless(model::format(usual.order), "order", model::format(layout.order));
  if (!layout.stage_layers.empty()) {
    name.add("stage_layers", fmt::format("{}", fmt::join(layout.stage_layers, ",")));
  }
}

void add_step(Name& name, const model::Step& step) {
  const model::Step usual;
  name.add_unless(usual.micro_batch, "micro_batch", step.micro_batch);
  name.add_unless(usual.micro_batches, "micro_batches", step.micro_batches);
  name.add("sequence", step.sequence);
  if (!step.sequence_parallel) name.add("no_sequence_parallel");
  name.add_unless(name_of(usual.recompute), "recompute", name_of(step.recompute));
  name.add_unless(name_of(usual.activations), "activations", name_of(step.activations));
  name.add_unless(name_of(usual.parameters), "parameters", name_of(step.parameters));
  name.add_unless(name_of(usual.gradients), "gradients", name_of(step.gradients));
}

std::string name_of_row(const RowKey& key) {
  const RowKey usual;
  Name name(key.collective);
  name.add(name_of(key.type));
  if (key.op) name.add(name_of(*key.op));
  name.add(fmt::format("{}B", key.message_bytes));
  if (key.count * size_of(key.type) != key.message_bytes) name.add("count", key.count);
  name.add("ranks", key.ranks);
  name.add_unless(usual.nodes, "nodes", key.nodes);
  name.add(key.backend);
  name.add_if("root", key.root);
  if (key.in_place) name.add("in_place");
  name.add_unless(std::string("streaming"), "mode", key.mode);
  name.add_unless(usual.aggregation, "aggregation", key.aggregation);
  name.add_unless(usual.ranks_per_process, "ranks_per_process", key.ranks_per_process);
  name.add_unless(usual.grouped_operations, "grouped", key.grouped_operations);
  name.add_unless(usual.offset_elements, "offset", key.offset_elements);
  name.add_unless(usual.matrix, "matrix", key.matrix);
  if (key.group) {
    name.add("group",
             fmt::format("{} {} of {}", key.group->rule, key.group->index, key.group->count));
  }
  return name.take();
}

std::string name_of_step(const StepKey& key) {
  const StepKey usual;
  Name name(key.pattern);
  name.add(key.model);
  for (const auto& [what, choice] : key.scheme) name.add(what, choice);
  add_layout(name, key.layout);
  add_step(name, key.step);
  name.add("ranks", key.ranks);
  name.add_unless(usual.nodes, "nodes", key.nodes);
  name.add(key.backend);
  name.add_unless(usual.ranks_per_process, "ranks_per_process", key.ranks_per_process);
  name.add("compute", key.compute);
  if (key.busy_flops) name.add("busy_TFLOPs", fmt::format("{:g}", *key.busy_flops / 1e12));
  name.add_if("layers", key.layers);
  name.add_if("shrink", key.shrink);
  return name.take();
}

}  // namespace

std::string name_of(const MeasurementKey& key) {
  const auto* row = std::get_if<RowKey>(&key);
  return row != nullptr ? name_of_row(*row) : name_of_step(std::get<StepKey>(key));
}

const std::string& subject_of(const MeasurementKey& key) {
  const auto* row = std::get_if<RowKey>(&key);
  return row != nullptr ? row->collective : std::get<StepKey>(key).pattern;
}

std::optional<Bytes> message_bytes_of(const MeasurementKey& key) {
  const auto* row = std::get_if<RowKey>(&key);
  return row != nullptr ? std::optional(row->message_bytes) : std::nullopt;
}

}  // namespace collbench
