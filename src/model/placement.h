// SPDX-License-Identifier: Apache-2.0
// Placement: which axes of a layout cross nodes, and with how many bytes, as plain values.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "model/layout.h"

namespace collbench::model {

/// The groups of one axis, and what a step sends in them.
struct AxisPlacement {
  Axis axis = Axis::world;
  int group_size = 1;
  int groups = 1;            // of several ranks
  int crossing = 0;          // of them, those on more than one node
  Bytes sent_bytes = 0;      // per step, of the rank that sends most on the axis
  Bytes crossing_bytes = 0;  // to other nodes, of the rank that sends most to them

  bool operator==(const AxisPlacement&) const = default;
};

/// A layer waits for `crossing`, which crosses nodes, while `inside` sends less and does not.
struct Misplaced {
  Axis crossing = Axis::world, inside = Axis::world;
};

/// The worst of them, if there is any: of the axes within a layer (tensor, context and expert
/// parallelism), whose messages nothing hides, the one that sends most to other nodes; and the axis
/// that sends least of those that stay within theirs.
///
/// Source of the rule: Megatron-LM, SC21 (arXiv 2104.04473), takeaway 1, and its guide for mixtures
/// of experts: tensor and expert parallelism within the fast links of a node.
std::optional<Misplaced> misplaced(std::span<const AxisPlacement> placement);

/// "tp crosses nodes while dp, which sends less, stays within them".
std::string describe(const Misplaced& misplaced);

/// A line for each axis that crosses nodes, and one where an axis is misplaced; empty on one node.
std::string describe(std::span<const AxisPlacement> placement);

}  // namespace collbench::model
