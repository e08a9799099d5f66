// SPDX-License-Identifier: Apache-2.0
// Which layouts can train a model at all: the divisibility rules that Megatron, torchtitan and
// DeepSpeed enforce.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/layout.h"
#include "model/model.h"
#include "model/step.h"

namespace collbench::model {

/// A rule that is broken, and one sentence: what, why, what to change.
struct Infeasible {
  std::string_view rule;
  std::string message;
};

/// Rules of the grids alone: they hold for every model.
std::vector<Infeasible> broken_rules(const Layout& layout);

/// All rules; empty when the layout can train the model. Sizes below 1 break the rule "sizes" and
/// hide the rest.
std::vector<Infeasible> broken_rules(const Model& model, const Layout& layout, const Step& step);

/// Throws UserError, the message of the first rule that is broken.
void require_feasible(const Model& model, const Layout& layout, const Step& step);

/// Throws UserError unless the layout has exactly `ranks` ranks.
void require_ranks(const Layout& layout, int ranks);

/// M of a global batch: sequences / (b * D). Throws UserError where that is no whole number.
int micro_batches_of(Count global_batch, Count micro_batch, const Layout& layout);

/// Ulysses gives each of the `sharing` ranks that exchange tokens for heads whole heads: throws
/// UserError unless they divide a / t, and key-value heads of a rank of tp can be dealt out evenly,
/// or repeated where there are fewer.
void require_ulysses(const Model& model, const Layout& layout, int sharing);

}  // namespace collbench::model
