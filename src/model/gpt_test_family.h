// SPDX-License-Identifier: Apache-2.0
// For tests: the GPT models of Narayanan et al. 2021 and Korthikanti et al. 2022, which differ in
// three numbers.
#pragma once

#include "model/model.h"

namespace collbench::model {

/// With the padded vocabulary and the sequence length of both papers.
inline Model gpt(int layers, Count hidden, int heads) {
  return {.name = "gpt",
          .layers = layers,
          .hidden = hidden,
          .ffn = 4 * hidden,
          .heads = heads,
          .kv_heads = heads,
          .head_dim = hidden / static_cast<Count>(heads),
          .vocabulary = 51200,
          .sequence = 2048,
          .gated_mlp = false,
          .tied_embeddings = true,
          .norm = Norm::layer,
          .biases = Biases::all,
          .positions = Positions::learned};
}

}  // namespace collbench::model
