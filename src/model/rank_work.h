// SPDX-License-Identifier: Apache-2.0
// Which layers a rank has, and how many tokens pass through them: what closed forms are made of.
#pragma once

#include "model/layout.h"
#include "model/model.h"
#include "model/parameters.h"
#include "model/step.h"

namespace collbench::model {

constexpr Count number_of(int value) { return static_cast<Count>(value); }

constexpr bool holds_first_stage(int pp) { return pp == 0; }
inline bool holds_last_stage(const Layout& layout, int pp) { return pp == layout.pp - 1; }

/// Layers of a rank, with and without experts, the prediction layers among them.
struct LayerCount {
  Count all = 0;
  Count experts = 0;
};

/// Of the pipeline position `pp`.
LayerCount layers(const Model& model, const Layout& layout, int pp);

/// Tokens of a micro-batch on a context-parallel rank: s * b / c.
inline Count tokens(const Layout& layout, const Step& step) {
  return step.sequence / number_of(layout.cp) * step.micro_batch;
}

}  // namespace collbench::model
