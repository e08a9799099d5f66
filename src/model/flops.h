// SPDX-License-Identifier: Apache-2.0
// Floating-point operations per token, a multiplication and an addition counted as two.
//
// Sources: Narayanan et al. 2021, arXiv 2104.04473, and Korthikanti et al. 2022, arXiv 2205.05198.
#pragma once

#include <cstdint>

#include "model/model.h"
#include "model/step.h"

namespace collbench::model {

/// Whether attention's products above the diagonal, which causal attention does not need, count.
/// NVIDIA's tables since 2024 leave them out; the two papers above count them.
enum class AttentionCount : std::uint8_t { causal, full };

/// Of one token's forward pass. A mixture of experts counts the experts that the token uses.
struct Flops {
  double matrices = 0;   // of the layers' parameters: 2 per parameter
  double attention = 0;  // queries times keys, and weights times values
  double head = 0;       // 2 * h * v, once more per prediction layer
  double total() const { return matrices + attention + head; }
};

Flops forward_flops_per_token(const Model& model, Count sequence,
                              AttentionCount count = AttentionCount::causal);

/// Forward and backward: three times the forward pass. What utilisation (MFU) is measured by.
double training_flops_per_token(const Model& model, Count sequence,
                                AttentionCount count = AttentionCount::causal);

/// With what the backward pass computes again: full recomputation repeats the layers' forward pass,
/// selective that of the attention.
double executed_flops_per_token(const Model& model, Count sequence, Recompute recompute,
                                AttentionCount count = AttentionCount::causal);

}  // namespace collbench::model
