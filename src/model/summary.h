// SPDX-License-Identifier: Apache-2.0
// ModelSummary: what is known of a model, and of the memory of its ranks in a layout, as plain
// values to print.
#pragma once

#include <optional>
#include <vector>

#include "model/flops.h"
#include "model/layout.h"
#include "model/memory.h"
#include "model/model.h"
#include "model/parameters.h"
#include "model/step.h"

namespace collbench::model {

/// By one of kStateAccountings, which it points into.
struct AccountedStates {
  const StateAccounting* accounting = nullptr;
  StateBytes bytes;
};

/// Of a rank of the first stage, in bytes.
struct Activations {
  double korthikanti = 0;
  std::optional<double> megatron;  // for dense layers, sequence parallelism and flash attention
  double edges = 0;
};

/// What ranks hold in a layout.
struct RankSummary {
  Layout layout;
  Step step;
  std::vector<ParameterCount> parameters;  // by pipeline position
  int largest_pp = 0;                      // the first position that holds the most
  std::vector<AccountedStates> states;     // of that one
  double fsdp2_transient_bytes = 0;        // of that one
  Activations activations;
};

struct ModelSummary {
  Model model;
  Count parameters = 0;
  Count active_parameters = 0;
  Count sequence = 0;                        // of the operations
  Flops forward;                             // per token, causal
  double training_flops = 0;                 // per token, causal
  double executed_flops = 0;                 // with what the step computes again
  double training_flops_full_attention = 0;  // per token, attention not causal
  std::optional<RankSummary> rank;
};

/// Of the model alone, at its own sequence length.
ModelSummary summarize(const Model& model);

/// Throws UserError for a layout that cannot train the model.
ModelSummary summarize(const Model& model, const Layout& layout, const Step& step);

}  // namespace collbench::model
