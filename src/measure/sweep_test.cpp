// SPDX-License-Identifier: Apache-2.0
#include "measure/sweep.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench {
namespace {

constexpr Bytes kMiB = 1ULL << 20;

TEST(Sweep, StepsAreBytes) {  // nccl-tests issue 225 took -i 2M as 2 bytes
  EXPECT_EQ(sizes_of({64 * kMiB, 70 * kMiB, 2 * kMiB, 1}),
            (std::vector<Bytes>{64 * kMiB, 66 * kMiB, 68 * kMiB, 70 * kMiB}));
}

TEST(Sweep, FactorsMultiply) {
  EXPECT_EQ(sizes_of({8, 100, 1, 3}), (std::vector<Bytes>{8, 24, 72}));
}

TEST(Sweep, EndsAtTheLargestSizes) {
  EXPECT_EQ(sizes_of({1ULL << 62, 1ULL << 63, 1, 2}).size(), 2U);
  EXPECT_EQ(sizes_of({1ULL << 62, (1ULL << 63) - 1, 1, 16}).size(), 1U);
}

TEST(Sweep, RefusesWhatHasNoSizesOrNoEnd) {
  EXPECT_THROW(validate({0, 8, 1, 1}), UserError);
  EXPECT_THROW(validate({16, 8, 1, 1}), UserError);
  EXPECT_THROW(validate({8, 16, 0, 1}), UserError);
  EXPECT_THROW(validate({8, 8ULL << 30, 8, 1}), UserError);
  EXPECT_NO_THROW(validate({8, 8, 0, 2}));
}

TEST(PlanSweep, ShardedSizesThatRoundToNothingOrTwiceAreSkippedWithReasons) {
  // 3 ranks, blocks of whole 16 bytes: 8, 16, 32 give nothing, 48 fits, 64 rounds to 48 again.
  const auto plan = plan_sweep({16, 64, 16, 1}, {traffic::all_gather, DataType::float32, 3});
  ASSERT_EQ(plan.size(), 4U);
  EXPECT_EQ(plan[0].message_bytes, 0U);
  EXPECT_EQ(plan[0].skip_reason,
            "16 B is too small: blocks are multiples of 16 B, so that 3 ranks need 48 B");
  EXPECT_FALSE(plan[1].skip_reason.empty());
  EXPECT_EQ(plan[2].message_bytes, 48U);
  EXPECT_EQ(plan[2].count, 4U);
  EXPECT_TRUE(plan[2].skip_reason.empty());
  EXPECT_EQ(plan[3].requested_bytes, 64U);
  EXPECT_NE(plan[3].skip_reason.find("rounds to 48 B"), std::string::npos);
}

TEST(PlanSweep, FiveRanksOfHalfHaveNoRowTwiceAndNoneOfNothing) {  // nccl-tests issue 142
  for (const traffic::Traffic& traffic : {traffic::all_gather, traffic::reduce_scatter}) {
    std::vector<Bytes> measured;
    for (const SweepSize& size : plan_sweep({8, 512, 1, 2}, {traffic, DataType::half, 5})) {
      if (!size.skip_reason.empty()) continue;
      measured.push_back(size.message_bytes);
      EXPECT_EQ(size.count * 5 * 2, size.message_bytes);
    }
    EXPECT_EQ(measured, (std::vector<Bytes>{80, 240, 480}))
        << traffic.name;  // blocks of 16 n bytes
  }
}

TEST(PlanSweep, WholeMessagesRoundToElements) {
  const auto plan = plan_sweep({3, 9, 6, 1}, {traffic::all_reduce, DataType::float32, 2});
  ASSERT_EQ(plan.size(), 2U);
  EXPECT_EQ(plan[0].skip_reason, "3 B is too small: one float has 4 B");
  EXPECT_EQ(plan[1].message_bytes, 8U);
  EXPECT_EQ(plan[1].requested_bytes, 9U);
}

TEST(PlanSweep, RanksThatCannotRunItAreTheReasonForEverySize) {
  const auto plan = plan_sweep({16, 1024, 1, 8}, {traffic::hypercube, DataType::float32, 3});
  ASSERT_EQ(plan.size(), 3U);
  for (const SweepSize& size : plan) {
    EXPECT_EQ(size.skip_reason, "hypercube needs a power of two of ranks, not 3");
  }
}

TEST(PlanSweep, AMatrixIsScaledToEachSize) {
  traffic::Matrix weights(2);
  weights.at(0, 1) = 3;  // the largest sum: what rank 0 sends and rank 1 receives
  weights.at(1, 0) = 1;
  const auto plan = plan_sweep({8, 1000, 1, 5}, {traffic::alltoallv, DataType::half, 2, &weights});
  ASSERT_EQ(plan.size(), 4U);
  EXPECT_EQ(plan[0].skip_reason,
            "8 B is too small: blocks are multiples of 16 B, and its largest has none");
  EXPECT_EQ(plan[1].message_bytes, 32U);   // of 40
  EXPECT_EQ(plan[1].count, 8U);            // 16 elements over 2 ranks
  EXPECT_EQ(plan[2].message_bytes, 192U);  // of 200
  EXPECT_EQ(plan[3].message_bytes, 992U);  // of 1000
  EXPECT_TRUE(plan[3].skip_reason.empty());
}

}  // namespace
}  // namespace collbench
