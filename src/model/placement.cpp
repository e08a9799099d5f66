// SPDX-License-Identifier: Apache-2.0
#include "model/placement.h"

#include <fmt/format.h>

#include "base/counted.h"

namespace collbench::model {
namespace {

bool is_within_a_layer(Axis axis) {
  switch (axis) {
    case Axis::tp:
    case Axis::cp:
    case Axis::cp_a2a:
    case Axis::cp_p2p:
    case Axis::tp_cp:
    case Axis::ep:
    case Axis::etp:
    case Axis::etp_ep:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<Misplaced> misplaced(std::span<const AxisPlacement> placement) {
  const AxisPlacement *worst = nullptr, *inside = nullptr;
  for (const AxisPlacement& axis : placement) {
    const bool worse = worst == nullptr || axis.crossing_bytes > worst->crossing_bytes;
    if (axis.crossing > 0 && is_within_a_layer(axis.axis) && worse) worst = &axis;
  }
  if (worst == nullptr) return std::nullopt;
  for (const AxisPlacement& axis : placement) {
    if (axis.crossing > 0 || axis.sent_bytes >= worst->sent_bytes) continue;
    if (inside == nullptr || axis.sent_bytes < inside->sent_bytes) inside = &axis;
  }
  if (inside == nullptr) return std::nullopt;
  return Misplaced{worst->axis, inside->axis};
}

std::string describe(const Misplaced& misplaced) {
  return fmt::format("{} crosses nodes while {}, which sends less, stays within them",
                     name_of(misplaced.crossing), name_of(misplaced.inside));
}

std::string describe(std::span<const AxisPlacement> placement) {
  std::string text;
  for (const AxisPlacement& axis : placement) {
    if (axis.crossing == 0) continue;
    text += fmt::format("# across nodes: {}, {} of {} of {}: {} of {} that a rank sends\n",
                        name_of(axis.axis), axis.crossing, counted(axis.groups, "group"),
                        axis.group_size, format_bytes(axis.crossing_bytes),
                        format_bytes(axis.sent_bytes));
  }
  if (const auto worst = misplaced(placement)) {
    text += fmt::format("# misplaced: {}; --order can say which axis has neighbours\n",
                        describe(*worst));
  }
  return text;
}

}  // namespace collbench::model
