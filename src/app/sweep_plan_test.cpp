// SPDX-License-Identifier: Apache-2.0
#include "app/sweep_plan.h"

#include <gtest/gtest.h>

#include <string>

#include "base/errors.h"

namespace collbench {
namespace {

TEST(PlanSweeps, OnePerTypeReductionAndRoot) {
  CollectiveOptions options;
  options.types = {DataType::float32, DataType::int32};
  options.ops = {ReduceOp::sum, ReduceOp::max, ReduceOp::avg};
  options.root = std::nullopt;
  EXPECT_EQ(plan_sweeps(options, traffic::reduce, {1, 4}, nullptr, 4).size(), 2U * 3U * 4U);
  EXPECT_EQ(plan_sweeps(options, traffic::broadcast, {1, 4}, nullptr, 4).size(), 2U * 4U);
  EXPECT_EQ(plan_sweeps(options, traffic::all_reduce, {1, 4}, nullptr, 4).size(), 2U * 3U);
  const auto sweeps = plan_sweeps(options, traffic::broadcast, {1, 4}, nullptr, 4);
  EXPECT_EQ(sweeps[3].setting.root, 3);
  EXPECT_EQ(sweeps[3].setting.rank, 1);
}

TEST(PlanSweeps, ARootThatNoRankIsIsRefused) {
  CollectiveOptions options;
  options.root = 2;
  EXPECT_THROW(plan_sweeps(options, traffic::broadcast, {0, 2}, nullptr, 2), UserError);
  EXPECT_EQ(plan_sweeps(options, traffic::broadcast, {0, 3}, nullptr, 3).front().setting.root, 2);
  EXPECT_NO_THROW(plan_sweeps(options, traffic::all_reduce, {0, 2}, nullptr, 2));
}

TEST(PlanSweeps, ASmallerGroupSkipsTheRootsBeyondIt) {
  CollectiveOptions options;
  options.root = std::nullopt;
  const auto sweeps = plan_sweeps(options, traffic::broadcast, {0, 2}, nullptr, 3);
  ASSERT_EQ(sweeps.size(), 3U);
  EXPECT_EQ(sweeps[1].sizes.front().skip_reason, "");
  EXPECT_EQ(sweeps[2].sizes.front().skip_reason, "the group has no rank 2 to be the root");
}

TEST(DescribeSweeps, KeepsTheLargestSizesApart) {
  CollectiveOptions options;
  options.sweep.min_bytes = options.sweep.max_bytes = Bytes{1} << 62;
  options.types = {DataType::float32};
  const auto sweeps = plan_sweeps(options, traffic::all_reduce, {0, 1}, nullptr, 1);
  EXPECT_NE(describe_sweeps(sweeps, traffic::all_reduce, nullptr)
                .find(" 4611686018427387904 4611686018427387904 1152921504606846976     float "
                      "4611686018427387904 4611686018427387904\n"),
            std::string::npos);
}

}  // namespace
}  // namespace collbench
