// SPDX-License-Identifier: Apache-2.0
#include "results/axis_costs.h"

#include <gtest/gtest.h>

#include "results/axis_table.h"
#include "results/example_steps.h"

namespace collbench {
namespace {

using model::Axis;
using Axes = std::vector<Axis>;

TEST(AxisCosts, TogetherOverAlone) {
  const StepRecord step = example::small_step();
  const std::vector<AxisCost> costs = axis_costs(step);
  ASSERT_EQ(costs.size(), 2u);
  const AxisCost* gradients = find_cost(costs, Axis::dp_replicate, {Axis::pp});
  ASSERT_NE(gradients, nullptr);
  EXPECT_DOUBLE_EQ(*gradients->slowdown, 1.5);
  EXPECT_TRUE(gradients->certain);
  EXPECT_DOUBLE_EQ(*gradients->predicted_slowdown, 2);
  const AxisCost* stages = find_cost(costs, Axis::pp, {Axis::dp_replicate});
  ASSERT_NE(stages, nullptr);
  EXPECT_DOUBLE_EQ(*stages->slowdown, 1.05);
  EXPECT_FALSE(stages->certain);  // the intervals overlap
  EXPECT_FALSE(stages->predicted_slowdown.has_value());
  EXPECT_EQ(find_cost(costs, Axis::tp, {Axis::pp}), nullptr);
}

// An axis whose messages are all received before anybody asks takes no time that could grow.
TEST(AxisCosts, NothingIsSlowerThanNoTime) {
  StepRecord step = example::small_step();
  step.axis_loads[0].busy = {example::series({0.0}, 0)};
  const std::vector<AxisCost> costs = axis_costs(step);
  EXPECT_FALSE(find_cost(costs, Axis::pp, {Axis::dp_replicate})->slowdown.has_value());
  EXPECT_NE(axis_table(step).find("N/A"), std::string::npos);
}

TEST(AxisCosts, OfThreeAxesAlsoBesideAllOthers) {
  StepRecord step = example::small_step();
  const AxisLoad both = step.axis_loads.back();
  const auto load = [&](Axes axes) {
    AxisLoad of_axes{.axes = axes, .step = both.step};
    of_axes.busy.assign(axes.size(), both.busy.front());
    return of_axes;
  };
  step.axis_loads.push_back(load({Axis::tp}));
  step.axis_loads.push_back(load({Axis::tp, Axis::pp, Axis::dp_replicate}));
  const std::vector<AxisCost> costs = axis_costs(step);
  const AxisCost* all = find_cost(costs, Axis::tp, {Axis::pp, Axis::dp_replicate});
  ASSERT_NE(all, nullptr);
  EXPECT_DOUBLE_EQ(*all->slowdown, 1);
  EXPECT_NE(axis_table(step).find("all others\n"), std::string::npos);
  EXPECT_EQ(axis_table(example::step()), "");
}

TEST(AxisCosts, OfWhatIsOnlyPredicted) {
  StepRecord step;
  step.axis_loads = {{.axes = {Axis::tp}, .predicted_busy_s = {2e-3}},
                     {.axes = {Axis::pp}, .predicted_busy_s = {1e-3}},
                     {.axes = {Axis::tp, Axis::pp}, .predicted_busy_s = {3e-3, 1e-3}}};
  EXPECT_EQ(axis_table(step),
            "# what axes cost each other: how many times as long each communicates beside\n"
            "#   axis             alone (ms)             tp             pp\n"
            "    tp                   2.0000              -           1.50\n"
            "    pp                   1.0000           1.00              -\n");
}

}  // namespace
}  // namespace collbench
