// SPDX-License-Identifier: Apache-2.0
#include "plan/held.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

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

bool is_matrix(const model::Tensor& tensor) { return tensor.columns > 1; }

Half::Kind kind_of(const std::vector<model::Tensor>& tensors, TensorRange half) {
  const model::Tensor& last = tensors[half.last - 1];
  if (last.expert) return Half::Kind::experts;
  if (last.name.starts_with("shared")) return Half::Kind::shared_experts;
  if (!last.name.starts_with("attention")) return Half::Kind::mlp;
  for (std::size_t i = half.first; i < half.last; ++i) {
    if (tensors[i].name == "attention.kv_down") return Half::Kind::latent_attention;
  }
  return Half::Kind::attention;
}

std::string name_of(Half::Kind kind, const model::Tensor& row) {
  switch (kind) {
    case Half::Kind::attention:
    case Half::Kind::latent_attention:
      return "attention";
    case Half::Kind::mlp:
    case Half::Kind::experts:
    case Half::Kind::shared_experts:
      break;
  }
  return row.name.substr(0, row.name.find('.'));  // "mlp", "experts", "shared"
}

/// One for each expert with rows; neighbours with as many are one entry.
void add_expert_products(std::vector<Gemm>& gemms, const std::vector<Count>& expert_rows,
                         const model::Tensor& tensor) {
  const std::size_t first = gemms.size();
  for (const Count rows : expert_rows) {
    if (rows == 0) continue;
    if (gemms.size() > first && gemms.back().m == rows) {
      ++gemms.back().times;
    } else {
      gemms.push_back({rows, tensor.rows, tensor.columns});
    }
  }
}

/// Norms and the matrices between them that start a half and are not divided: low-rank
/// projections, a router. Norms alone belong to what follows.
std::size_t end_of_own(const std::vector<model::Tensor>& tensors, TensorRange half) {
  bool has_matrix = false;
  std::size_t i = half.first;
  for (; tensors[i].split == model::Split::none; ++i) has_matrix |= is_matrix(tensors[i]);
  return has_matrix ? i : half.first;
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
    const Half::Kind kind = kind_of(tensors, {first, i + 1});
    const std::size_t own = end_of_own(tensors, {first, i});
    halves.push_back({kind, name_of(kind, tensors[i]), {first, own}, {own, i}, {i, end}});
    first = end;
  }
  halves.back().row.last = range.last;
  return halves;
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
  Held held;
  held.chunks = layout.vpp;
  for (int chunk = 0; chunk < layout.vpp; ++chunk) {
    const int stage = model::stage_of(layout, pp, chunk);
    for (const model::Block& block : model::stage_blocks(model, layout, stage)) {
      const std::size_t first = held.tensors.size();
      held.tensors.insert(held.tensors.end(), block.tensors.begin(), block.tensors.end());
      HeldBlock& added = held.blocks.emplace_back();
      const int layer = block.kind == Kind::prediction ? model.layers : block.layer;
      added = {block.kind, chunk, layer, block_name(block), {first, held.tensors.size()}};
      const bool layered = block.kind == Kind::layer || block.kind == Kind::prediction;
      if (layered) added.halves = halves_of(held.tensors, added.tensors);
    }
  }
  return held;
}

Work::Work(const model::Model& model, const model::Layout& layout, const model::Step& step,
           const Held& held, ExpertRows expert_rows)
    : held_(held),
      tokens_(step.sequence / static_cast<Count>(layout.cp) * step.micro_batch),
      hidden_(model.hidden),
      sequence_(step.sequence),
      attention_width_(static_cast<Count>(model.heads / layout.tp) *
                       (model::query_head_dim(model) + model::value_head_dim(model)) / 2),
      vocabulary_(model::padded_vocabulary(model, layout) / static_cast<Count>(layout.tp)),
      kept_parts_(step.sequence_parallel ? static_cast<Count>(layout.tp) : 1),
      expert_rows_(std::move(expert_rows)),
      layers_(held.tensors.size()) {
  for (auto& of_layer : expert_rows_) {
    for (Count& rows : of_layer) rows *= static_cast<Count>(model::expert_tp(layout));
  }
  for (const HeldBlock& block : held.blocks) {
    for (std::size_t i = block.tensors.first; i < block.tensors.last; ++i) {
      layers_[i] = static_cast<std::size_t>(block.layer);
    }
  }
}

Count Work::kept_activation() const { return activation() / kept_parts_; }

/// Of the activations that a matrix is multiplied with: what each rank does with whole matrices,
/// it does for its own tokens.
Count Work::rows_of(std::size_t index) const {
  const model::Tensor& tensor = held_.tensors[index];
  if (tensor.expert) {
    const std::vector<Count>& rows = expert_rows_of(index);
    return std::accumulate(rows.begin(), rows.end(), Count{0});
  }
  return tensor.split == model::Split::none ? kept_tokens() : tokens_;
}

const std::vector<Count>& Work::expert_rows_of(std::size_t tensor) const {
  return expert_rows_.at(layers_[tensor]);
}

Count Work::inner(const Half& half) const {
  return rows_of(half.row.first) * held_.tensors[half.row.first].columns;
}

Count Work::inner() const {
  Count most = 0;
  for (const HeldBlock& block : held_.blocks) {
    for (const Half& half : block.halves) most = std::max(most, inner(half));
  }
  return most;
}

std::vector<Gemm> Work::forward(TensorRange range) const {
  std::vector<Gemm> gemms;
  for (std::size_t i = range.first; i < range.last; ++i) {
    const model::Tensor& tensor = held_.tensors[i];
    if (!is_matrix(tensor)) continue;
    if (tensor.expert) {
      add_expert_products(gemms, expert_rows_of(i), tensor);
    } else {
      gemms.push_back({rows_of(i), tensor.rows, tensor.columns});
    }
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
  for (Gemm& gemm : gemms) gemm = {gemm.n, gemm.k, gemm.m, gemm.times};
  return gemms;
}

Gemm Work::attention() const { return {tokens_, sequence_, attention_width_}; }

Gemm Work::head() const { return {tokens_, vocabulary_, hidden_}; }

}  // namespace collbench::plan
