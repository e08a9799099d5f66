// SPDX-License-Identifier: Apache-2.0
// Shape: how many tokens choose how many experts, and where the experts are.
#pragma once

#include "base/bytes.h"
#include "model/layout.h"
#include "model/model.h"
#include "model/step.h"
#include "routing/spec.h"

namespace collbench::routing {

/// The tokens of one micro-batch that enter a layer of experts, of the ranks of one expert-parallel
/// group. Expert x is on rank x / (experts / ranks), and in group x / (experts / groups).
struct Shape {
  int ranks = 1;           // e, of the group
  int experts = 1;         // E, of a layer
  int per_token = 1;       // k, distinct
  Count tokens = 0;        // T, of each rank
  GroupLimit groups = {};  // that a token chooses its experts from
  int ranks_per_node = 1;  // consecutive ranks of the group that share a node

  bool operator==(const Shape&) const = default;
};

/// Of a rank with its tensor- and context-parallel part of a micro-batch, groups as the spec or
/// else the model has them. `ranks_per_node` counts all ranks; an expert-parallel group that lies
/// on nodes unevenly counts as one rank per node. Throws UserError for a model without experts, and
/// as require_possible does.
Shape shape_of(const RoutingSpec& spec, const model::Model& model, const model::Layout& layout,
               const model::Step& step, int ranks_per_node);

/// Throws UserError where ranks or groups do not divide the experts, or the groups of a token have
/// too few experts.
void require_possible(const Shape& shape);

inline int experts_of_rank(const Shape& shape) { return shape.experts / shape.ranks; }
inline int nodes(const Shape& shape) { return shape.ranks / shape.ranks_per_node; }

/// C = ceil(T*k/E * factor): the rows that an expert takes of each rank where copies beyond are
/// dropped and what is missing is padded. Source: Megatron-LM, moe_utils.py, get_capacity.
Count capacity_rows(const Shape& shape, double factor);

}  // namespace collbench::routing
