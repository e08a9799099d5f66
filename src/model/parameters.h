// SPDX-License-Identifier: Apache-2.0
// The tensors of a model, and what a rank holds of them: the one description that parameter
// counts, memory, gradient buckets and shards are derived from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/layout.h"
#include "model/model.h"

namespace collbench::model {

/// What tensor parallelism cuts.
enum class Split : std::uint8_t {
  none,           // every rank holds all of it
  rows,           // the output of a column-parallel layer
  columns,        // the input of a row-parallel layer
  key_value_rows  // rows of whole heads: at least one head per rank, so some ranks hold the same
};

/// `copies` matrices of rows x columns (one column: a vector) that belong together.
struct Tensor {
  std::string name;
  Count rows = 0;
  Count columns = 1;
  Split split = Split::none;
  bool expert = false;  // divided by the experts' grid: copies over ep, rows and columns over etp
  Count copies = 1;     // experts
  bool operator==(const Tensor&) const = default;
};

constexpr Count elements(const Tensor& tensor) {
  return tensor.rows * tensor.columns * tensor.copies;
}

/// What is gathered, recomputed and scheduled together.
struct Block {
  enum class Kind : std::uint8_t { embedding, layer, head, prediction } kind = Kind::layer;
  int layer = 0;  // of a layer: its number in the model, from 0
  bool experts = false;
  std::vector<Tensor> tensors = {};  // in the order of the forward pass
};

/// Elements of parameters of dense layers and of experts, which are reduced among other ranks.
struct ParameterCount {
  Count dense = 0;
  Count expert = 0;
  Count total() const { return dense + expert; }
  bool operator==(const ParameterCount&) const = default;
};

/// The whole model, undivided: embedding, L layers, head (with the last norm), prediction layers.
std::vector<Block> blocks(const Model& model);

/// What a rank with these tensor- and expert-parallel degrees holds of each stage 0 <= `stage` <
/// p*V: tensors in local sizes, the vocabulary padded. With tied embeddings and p*V > 1 the last
/// stage holds a copy of the embedding.
std::vector<Block> stage_blocks(const Model& model, const Layout& layout, int stage);

/// Layers of the model that stage `stage` holds: [first, first + count).
struct LayerRange {
  int first = 0;
  int count = 0;
};
LayerRange stage_layers(const Model& model, const Layout& layout, int stage);

ParameterCount count(const std::vector<Block>& blocks);

/// Of the whole model: what publications call its size. The vocabulary is not padded.
Count parameters(const Model& model);

/// Those that one token passes through: all but the experts it is not sent to.
Count active_parameters(const Model& model);

/// Psi: what a rank of pipeline position `pp` holds, all its stages.
ParameterCount rank_parameters(const Model& model, const Layout& layout, int pp);

/// v, padded to a multiple of 128 * t as Megatron does, so that each rank's rows are alike.
Count padded_vocabulary(const Model& model, const Layout& layout);

}  // namespace collbench::model
