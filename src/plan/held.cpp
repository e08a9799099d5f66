// SPDX-License-Identifier: Apache-2.0
#include "plan/held.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"

namespace collbench::plan {
namespace {

using Kind = model::Block::Kind;

std::string block_name(const model::Block& block) {
  switch (block.kind) {
    case Kind::embedding:
      return "embedding";
    case Kind::head:
      return "head";
    case Kind::prediction:
      return "prediction";
    case Kind::layer:
      break;
  }
  return fmt::format("layer {}", block.layer);
}

bool is_bias_of(const model::Tensor& tensor, const model::Tensor& weight) {
  return tensor.name == weight.name + ".bias";
}

/// A matrix whose columns are divided starts the row-parallel part; with its bias it ends a half.
/// What is left at the end of a layer (a last norm) belongs to the last half.
std::vector<Half> halves_of(const std::vector<model::Tensor>& tensors, TensorRange range) {
  std::vector<Half> halves;
  std::size_t first = range.first;
  for (std::size_t i = range.first; i < range.last; ++i) {
    if (tensors[i].split != model::Split::columns) continue;
    const bool has_bias = i + 1 < range.last && is_bias_of(tensors[i + 1], tensors[i]);
    const std::size_t end = i + (has_bias ? 2 : 1);
    const bool attention = tensors[i].name.starts_with("attention");
    halves.push_back({attention ? "attention" : "mlp", {first, i}, {i, end}, attention});
    first = end;
  }
  halves.back().row.last = range.last;
  return halves;
}

bool is_matrix(const model::Tensor& tensor) { return tensor.columns > 1; }

void refuse_experts(const model::Model& model) {
  if (!model.experts) return;
  throw UserError(fmt::format(
      "model {}: plans have no traffic of experts yet; choose a model without them", model.name));
}

}  // namespace

Count Held::elements(TensorRange range) const {
  Count sum = 0;
  for (std::size_t i = range.first; i < range.last; ++i) sum += model::elements(tensors[i]);
  return sum;
}

std::pair<std::size_t, std::size_t> Held::chunk_blocks(int chunk) const {
  const auto is_before = [](const HeldBlock& block, int c) { return block.chunk < c; };
  const auto at = [&](int c) {
    return std::lower_bound(blocks.begin(), blocks.end(), c, is_before) - blocks.begin();
  };
  return {static_cast<std::size_t>(at(chunk)), static_cast<std::size_t>(at(chunk + 1))};
}

Held hold(const model::Model& model, const model::Layout& layout, int pp) {
  refuse_experts(model);
  Held held;
  held.chunks = layout.vpp;
  for (int chunk = 0; chunk < layout.vpp; ++chunk) {
    const int stage = model::stage_of(layout, pp, chunk);
    for (const model::Block& block : model::stage_blocks(model, layout, stage)) {
      const std::size_t first = held.tensors.size();
      held.tensors.insert(held.tensors.end(), block.tensors.begin(), block.tensors.end());
      HeldBlock& added = held.blocks.emplace_back();
      added = {block.kind, chunk, block_name(block), {first, held.tensors.size()}, {}};
      const bool layered = block.kind == Kind::layer || block.kind == Kind::prediction;
      if (layered) added.halves = halves_of(held.tensors, added.tensors);
    }
  }
  return held;
}

Work::Work(const model::Model& model, const model::Layout& layout, const model::Step& step,
           const Held& held)
    : held_(held),
      tokens_(step.sequence / static_cast<Count>(layout.cp) * step.micro_batch),
      hidden_(model.hidden),
      sequence_(step.sequence),
      attention_width_(static_cast<Count>(model.heads / layout.tp) *
                       (model::query_head_dim(model) + model::value_head_dim(model)) / 2),
      vocabulary_(model::padded_vocabulary(model, layout) / static_cast<Count>(layout.tp)),
      kept_parts_(step.sequence_parallel ? static_cast<Count>(layout.tp) : 1) {}

Count Work::kept_activation() const { return activation() / kept_parts_; }

Count Work::inner() const {
  Count widest = 0;
  for (const HeldBlock& block : held_.blocks) {
    for (const Half& half : block.halves) {
      widest = std::max(widest, held_.tensors[half.row.first].columns);
    }
  }
  return tokens_ * widest;
}

std::vector<Gemm> Work::forward(TensorRange range) const {
  std::vector<Gemm> gemms;
  for (std::size_t i = range.first; i < range.last; ++i) {
    const model::Tensor& tensor = held_.tensors[i];
    if (is_matrix(tensor)) gemms.push_back({tokens_, tensor.rows, tensor.columns});
  }
  return gemms;
}

std::vector<Gemm> Work::input_gradient(TensorRange range) const {
  std::vector<Gemm> gemms = forward(range);
  for (Gemm& gemm : gemms) std::swap(gemm.n, gemm.k);
  return gemms;
}

std::vector<Gemm> Work::weight_gradient(TensorRange range) const {
  std::vector<Gemm> gemms = forward(range);
  for (Gemm& gemm : gemms) gemm = {gemm.n, gemm.k, gemm.m};
  return gemms;
}

Gemm Work::attention() const { return {tokens_, sequence_, attention_width_}; }

Gemm Work::head() const { return {tokens_, vocabulary_, hidden_}; }

}  // namespace collbench::plan
