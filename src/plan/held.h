// SPDX-License-Identifier: Apache-2.0
// Held: the blocks and tensors of one rank, in the order in which the forward pass uses them, and
// what computing with them takes.
#pragma once

#include <string>
#include <vector>

#include "model/layout.h"
#include "model/model.h"
#include "model/parameters.h"
#include "model/step.h"
#include "plan/plan.h"

namespace collbench::plan {

/// Tensors [first, last) of Held::tensors.
struct TensorRange {
  std::size_t first = 0, last = 0;
};

/// Half of a layer: a column-parallel part, then a row-parallel one; tensor parallelism
/// communicates before and after, never within.
struct Half {
  enum class Kind : std::uint8_t {
    attention,
    latent_attention,
    mlp,
    experts,
    shared_experts  // follow the half of the others
  } kind = Kind::mlp;
  std::string name;
  TensorRange own = {};  // before both: what a rank computes of its own tokens, with whole matrices
  TensorRange column = {}, row = {};

  /// Whether attention is between the two parts.
  bool attends() const { return kind == Kind::attention || kind == Kind::latent_attention; }
  bool has_own() const { return own.last > own.first; }
};

struct HeldBlock {
  model::Block::Kind kind = model::Block::Kind::layer;
  int chunk = 0;
  int layer = 0;  // of a layer: its number in the model; prediction layers have that after the last
  std::string name = {};  // "layer 5"
  TensorRange tensors = {};
  std::vector<Half> halves = {};  // of a layer
};

struct Held {
  std::vector<HeldBlock> blocks;       // of chunk 0, then of chunk 1, ...
  std::vector<model::Tensor> tensors;  // in the sizes that this rank has
  int chunks = 1;

  Count elements(TensorRange range) const;
  /// Indices of the blocks of a chunk: [first, last).
  std::pair<std::size_t, std::size_t> chunk_blocks(int chunk) const;
};

/// What the ranks of pipeline position `pp` hold.
Held hold(const model::Model& model, const model::Layout& layout, int pp);

/// Sizes and arithmetic of one micro-batch on one rank.
class Work {
 public:
  /// By layer, then by expert that a rank holds.
  using ExpertRows = std::vector<std::vector<Count>>;

  /// `expert_rows`: what a rank's experts work on of the tokens of one etp position.
  Work(const model::Model& model, const model::Layout& layout, const model::Step& step,
       const Held& held, ExpertRows expert_rows = {});

  /// s * b / c
  Count tokens() const { return tokens_; }
  /// Elements of the tensor between layers: X whole, and as a rank keeps it (under sequence
  /// parallelism a t-th).
  Count activation() const { return tokens_ * hidden_; }
  Count kept_activation() const;
  /// Tokens that a rank keeps: under sequence parallelism a t-th.
  Count kept_tokens() const { return tokens_ / kept_parts_; }
  Count hidden() const { return hidden_; }
  /// Elements between the column- and the row-parallel part, of a half or at most.
  Count inner(const Half& half) const;
  Count inner() const;

  /// Of experts a product for each that has tokens, as grouped products of libraries have it.
  std::vector<Gemm> forward(TensorRange range) const;
  std::vector<Gemm> input_gradient(TensorRange range) const;
  std::vector<Gemm> weight_gradient(TensorRange range) const;
  /// Scores and their product with the values; causal, so half of the square.
  Gemm attention() const;
  /// Logits of the vocabulary; also where the head uses the embedding's matrix.
  Gemm head() const;

 private:
  Count rows_of(std::size_t tensor) const;
  const std::vector<Count>& expert_rows_of(std::size_t tensor) const;

  const Held& held_;
  Count tokens_, hidden_, sequence_, attention_width_, vocabulary_;
  Count kept_parts_;
  ExpertRows expert_rows_;
  std::vector<std::size_t> layers_;  // by tensor
};

}  // namespace collbench::plan
