// SPDX-License-Identifier: Apache-2.0
#include "plan/only_axes.h"

#include <algorithm>
#include <set>

namespace collbench::plan {

std::vector<model::Axis> axes_of(const Plan& plan) {
  std::set<model::Axis> axes;
  for (const RankClass& ranks : plan.classes) {
    for (const Op& op : ranks.ops) {
      for (const Message& message : op.messages) axes.insert(message.axis);
    }
  }
  return {axes.begin(), axes.end()};
}

Plan only_axes(const Plan& plan, std::span<const model::Axis> axes) {
  Plan part = plan;
  for (RankClass& ranks : part.classes) {
    for (Op& op : ranks.ops) {
      std::erase_if(op.messages, [&](const Message& message) {
        return std::find(axes.begin(), axes.end(), message.axis) == axes.end();
      });
    }
  }
  return part;
}

}  // namespace collbench::plan
