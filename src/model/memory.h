// SPDX-License-Identifier: Apache-2.0
// What a rank's memory holds: model states by the accounting of the framework, and activations.
// Transient buffers of collectives, fragments of allocators and the libraries' own memory come on
// top.
#pragma once

#include <array>
#include <string_view>

#include "model/layout.h"
#include "model/model.h"
#include "model/parameters.h"
#include "model/step.h"

namespace collbench::model {

/// How a framework keeps parameters, gradients and Adam's states: bytes of each per parameter, and
/// which of them are divided among the ranks that would hold the same.
struct StateAccounting {
  std::string_view name;
  std::string_view what;
  double parameters, gradients, optimizer;  // bytes per parameter
  bool parameters_divided, gradients_divided, optimizer_divided;
};

/// Sources: ZeRO, arXiv 1910.02054, section 3 (K = 12); Megatron-LM, docs/source/api-guide
/// dist_optimizer, and training/theoretical_memory_usage.py; PyTorch FSDP2 with float parameters.
inline constexpr std::array<StateAccounting, 9> kStateAccountings = {{
    {"zero0", "ZeRO paper: 16 bytes, nothing divided", 2, 2, 12, false, false, false},
    {"zero1", "ZeRO paper: 4 + 12/n", 2, 2, 12, false, false, true},
    {"zero2", "ZeRO paper: 2 + 14/n", 2, 2, 12, false, true, true},
    {"zero3", "ZeRO paper: 16/n", 2, 2, 12, true, true, true},
    {"megatron", "Megatron, bfloat16 with float gradients: 18", 2, 4, 12, false, false, false},
    {"megatron-distributed", "Megatron, distributed optimizer: 6 + 12/n", 2, 4, 12, false, false,
     true},
    {"megatron-half", "Megatron, half with half gradients: 20", 2, 2, 16, false, false, false},
    {"megatron-half-distributed", "Megatron, the same, distributed optimizer: 4 + 16/n", 2, 2, 16,
     false, false, true},
    {"fsdp2", "FSDP2, float shards: 16/n", 4, 4, 8, true, true, true},
}};

/// Bytes of one rank.
struct StateBytes {
  double parameters = 0, gradients = 0, optimizer = 0;
  double total() const { return parameters + gradients + optimizer; }
};

/// Of `count` parameters that `ranks` ranks hold alike.
StateBytes state_bytes(const StateAccounting& accounting, Count count, int ranks);

/// Of a rank of pipeline position `pp`: dense parameters divided among dp_shard_cp, experts among
/// edp_shard.
StateBytes state_bytes(const StateAccounting& accounting, const Model& model, const Layout& layout,
                       int pp);

/// What FSDP2 adds for a moment, at most: two gathered groups, and one group's whole gradients.
double fsdp2_transient_bytes(const Model& model, const Layout& layout, const Step& step, int pp);

// ---- activations

/// Which published formula: they are for GPT and count no experts.
///
/// What is added here for experts, every layer counting as one that has them: of megatron's 18 + 4
/// f/h bytes per element of X, the 4 f/h is of each expert that a token uses, shared ones too, and
/// 2 more are of each copy of the token that was sent to an expert. So it is where loads are level;
/// a rank whose experts get more keeps more.
enum class ActivationFormula : std::uint8_t {
  korthikanti,  // arXiv 2205.05198, table 2: f = 4h, as many key-value heads as heads, dropout
  megatron,     // theoretical_memory_usage.py: any f; sequence parallelism, and flash attention
};

/// Of one layer and micro-batch.
double layer_activation_bytes(ActivationFormula formula, const Model& model, const Layout& layout,
                              const Step& step);

/// Of the layers of the first stage, which holds those of p micro-batches in flight (fewer where
/// there are fewer), and 1 + (p - 1)/(pV) as much when interleaved. The later the stage, the less.
double first_stage_activation_bytes(ActivationFormula formula, const Model& model,
                                    const Layout& layout, const Step& step);

/// Besides the layers: dropout of the embedding, and without a pipeline the last norm, the head and
/// its float logits.
double edge_activation_bytes(const Model& model, const Layout& layout, const Step& step);

}  // namespace collbench::model
