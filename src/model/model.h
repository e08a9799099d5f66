// SPDX-License-Identifier: Apache-2.0
// Model: the shape of a transformer, as far as traffic, memory and arithmetic follow from it.
//
// Notation of all of src/model, that of the papers: L layers, h hidden size, f inner size of the
// feed-forward part, a attention heads, g key-value heads, d head dimension, v vocabulary, s
// sequence length, b sequences in a micro-batch, M micro-batches, E experts, k experts per token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"

namespace collbench::model {

/// Root mean square: one vector of weights. Layer normalisation: weights and biases.
enum class Norm : std::uint8_t { rms, layer };

/// Which linear layers add a bias; `all` leaves out the language-model head, as GPT does.
enum class Biases : std::uint8_t { none, qkv, all };

/// Learned positions are parameters, one row per position.
enum class Positions : std::uint8_t { rotary, learned };

/// The feed-forward part of a mixture of experts.
struct Experts {
  int routed = 0;                 // E, without the shared ones
  int per_token = 0;              // k
  Count ffn = 0;                  // inner size of one expert
  int shared = 0;                 // experts that every token passes through, each of size `ffn`
  int dense_layers = 0;           // the first layers, which have a dense feed-forward part instead
  int groups = 1;                 // experts are chosen in groups ...
  int groups_per_token = 1;       // ... of which a token uses at most so many
  bool balanced_by_bias = false;  // a bias per expert, updated from token counts, not by gradients
};

/// Multi-head latent attention (DeepSeek): low-rank queries, keys and values.
struct LatentAttention {
  Count query_rank = 0;  // 0: queries are not compressed
  Count kv_rank = 0;
  Count nope_head_dim = 0;  // of queries and keys, without position
  Count rope_head_dim = 0;  // of queries and keys, with position; one key for all heads
  Count value_head_dim = 0;
};

struct Model {
  std::string name = {};
  std::string source = {};       // where the numbers are published
  int layers = 0;                // L
  Count hidden = 0;              // h
  Count ffn = 0;                 // f, of a dense layer; unused where every layer has experts
  int heads = 0;                 // a
  int kv_heads = 0;              // g
  Count head_dim = 0;            // d; unused under latent attention
  Count vocabulary = 0;          // v, not padded
  Count sequence = 0;            // s that the model was trained with; rows of learned positions
  bool gated_mlp = true;         // three matrices (SwiGLU) instead of two
  bool tied_embeddings = false;  // the head uses the embedding's matrix
  bool qk_norm = false;          // a norm on each head's query and key
  Norm norm = Norm::rms;
  Biases biases = Biases::none;
  Positions positions = Positions::rotary;
  std::optional<Experts> experts = {};
  std::optional<LatentAttention> latent_attention = {};
  int prediction_layers = 0;  // multi-token prediction: further layers, each with a 2h x h matrix
};

/// Whether layer 0 <= `layer` < L has experts.
bool has_experts(const Model& model, int layer);
int expert_layers(const Model& model);

/// Dimensions of one head as attention's products see them.
Count query_head_dim(const Model& model);  // of queries and keys
Count value_head_dim(const Model& model);

/// The model's first `layers` layers between its embedding and its head: as quick to measure as
/// they are few, with the same messages per layer. Throws UserError for more than it has or fewer
/// than one, and for so few that none of a mixture of experts would have any.
Model with_layers(Model model, int layers);

/// Throws UserError for a shape that no model has: a size of zero, k > E, a % g != 0, ...
void require_valid(const Model& model);

}  // namespace collbench::model
