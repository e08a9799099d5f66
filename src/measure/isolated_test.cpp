// SPDX-License-Identifier: Apache-2.0
// Sampling operations one by one, on rank threads whose clocks the operations move.
#include <gtest/gtest.h>

#include "measure/sampling_fakes.h"

namespace collbench {
namespace {

SamplingOptions isolated(Mode mode = Mode::isolated) {
  SamplingOptions options;
  options.method.mode = mode;
  options.warmup_operations = 0;
  options.stop.fixed_samples = 3;
  return options;
}

double two_then_three_us(int rank, std::uint64_t) { return rank == 0 ? 2e-6 : 3e-6; }

TEST(Isolated, TheClockIsReadTwiceAroundOneCallAfterAnAlignment) {
  const auto outcomes = sample_on(4, isolated(), two_then_three_us);
  // Two rounds for four ranks; the first reading is that of the sampling's start.
  for (const RankOutcome& outcome : outcomes) EXPECT_EQ(outcome.operations, 3U);
  EXPECT_EQ(outcomes[1].trace, "caascoscaascoscaascosc");
}

TEST(Isolated, WithoutAlignmentNothingStandsBeforeTheOperation) {
  const auto outcomes = sample_on(2, isolated(Mode::isolated_unaligned), two_then_three_us);
  EXPECT_EQ(outcomes[1].trace, "ccosccosccosc");
  EXPECT_TRUE(outcomes[0].samples.exit_skew_s.empty());
}

TEST(Isolated, TheSkewIsTheDifferenceOfTheStarts) {
  const auto outcomes = sample_on(2, isolated(), two_then_three_us);
  const std::vector<double>& skew_s = outcomes[0].samples.exit_skew_s;
  ASSERT_EQ(skew_s.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(skew_s[i], 1e-6 * static_cast<double>(i), 1e-12);
  EXPECT_NEAR(outcomes[0].samples.values_s[1], 3e-6, 1e-12);  // the skew is not subtracted
}

TEST(Isolated, ASampleIsOneOperationUnlessTheClockIsCoarse) {
  SamplingOptions options = isolated();
  options.clock_step_s = 0.2e-6;
  EXPECT_EQ(sample_on(2, options, two_then_three_us)[0].samples.operations_per_sample, 1U);
  options.clock_step_s = 1e-6;  // ten of them last as long as four operations of 3 us
  EXPECT_EQ(sample_on(2, options, two_then_three_us)[0].samples.operations_per_sample, 4U);
}

TEST(Isolated, AllRanksRunTheSameOperationsInEveryMode) {
  const auto ragged_s = [](int rank, std::uint64_t i) {
    return (1 + static_cast<double>((i * 2654435761U + 7 * static_cast<unsigned>(rank)) % 97)) *
           1e-7;
  };
  for (const ModeRow& mode : kModes) {
    for (const int ranks : {1, 2, 4}) {
      SamplingOptions options;
      options.method.mode = mode.mode;
      options.clock_step_s = 0.5e-6;
      if (mode.mode == Mode::graph) {
        options.method.graph_launches = 3;
        options.usual_operations = 20;
      }
      const auto outcomes = sample_on(ranks, options, ragged_s);
      for (const RankOutcome& outcome : outcomes) {
        EXPECT_EQ(outcome.operations, outcomes[0].operations) << mode.name << ' ' << ranks;
      }
    }
  }
}

TEST(Alignment, SkewIsTheMostThatAnyClockHasSeen) {
  CountedClockDevice device;
  const auto with = [&](std::vector<int> clock_of_rank) {
    return Alignment(aligning(0, 4, device), device, std::move(clock_of_rank));
  };
  const std::vector<double> left_s = {1, 1.5, 100, 100.25};
  EXPECT_EQ(with({0, 0, 1, 1}).exit_skew_s(left_s), 0.5);
  EXPECT_EQ(with({0, 1, 2, 3}).exit_skew_s(left_s), std::nullopt);
}

TEST(ClockStep, IsTheSmallestThatIsSeen) {
  CountedClockDevice device;
  EXPECT_EQ(clock_step_s(device), 0);  // nothing moves it
}

}  // namespace
}  // namespace collbench
