// SPDX-License-Identifier: Apache-2.0
// Sampling on rank threads whose clocks are moved by the operations themselves.
#include "measure/sampling.h"

#include <gtest/gtest.h>

#include "measure/sampling_fakes.h"

namespace collbench {
namespace {

// Differs between ranks and operations, from 1 to 3 us.
double ragged_s(int rank, std::uint64_t operation) {
  const std::uint64_t mixed = (operation * 2654435761U) ^ (static_cast<std::uint64_t>(rank) << 7U);
  return (1 + static_cast<double>(mixed % 1000) / 500) * 1e-6;
}

TEST(Sampling, AllRanksRunTheSameOperationsWhateverTheirClocksSay) {
  for (const int ranks : {1, 2, 3, 4}) {
    const auto outcomes = sample_on(ranks, {}, ragged_s);
    for (const RankOutcome& outcome : outcomes) {
      EXPECT_EQ(outcome.operations, outcomes[0].operations);
      EXPECT_EQ(outcome.samples.operations_per_sample, outcomes[0].samples.operations_per_sample);
    }
    const Samples& samples = outcomes[0].samples;
    EXPECT_EQ(
        outcomes[0].operations,
        samples.warmup_operations + samples.by_sample_s.size() * samples.operations_per_sample);
  }
}

TEST(Sampling, ASampleIsTheMeanOfItsBlockAndTheMaximumOverRanks) {
  // Rank 1 takes 3 us for each operation, rank 0 takes 2.
  const auto outcomes =
      sample_on(2, {}, [](int rank, std::uint64_t) { return rank == 0 ? 2e-6 : 3e-6; });
  const Samples& samples = outcomes[0].samples;
  EXPECT_EQ(samples.operations_per_sample, 334U);  // the fewest of 3 us that last 1 ms
  EXPECT_EQ(samples.stop, StopReason::target);
  ASSERT_EQ(samples.by_sample_s.size(), 20U);
  EXPECT_NEAR(samples.values_s[7], 3e-6, 1e-12);
  EXPECT_NEAR(samples.by_sample_s[7][0], 2e-6, 1e-12);
}

TEST(Sampling, TheMethodSaysHowTheTimesOfRanksBecomeASample) {
  const std::array expected_s = {4e-6, 3e-6, 2e-6, 4e-6};  // by the number of -a
  for (std::size_t i = 0; i < expected_s.size(); ++i) {
    SamplingOptions options;
    options.method.aggregation = static_cast<Aggregation>(i);
    const auto outcomes =
        sample_on(2, options, [](int rank, std::uint64_t) { return rank == 0 ? 4e-6 : 2e-6; });
    EXPECT_NEAR(outcomes[0].samples.values_s.at(3), expected_s[i], 1e-12) << i;
  }
}

TEST(Sampling, RowsOfGroupsHaveTheTimesOfTheirOwnRanksAndAllRunOn) {
  // Ranks 1 and 3 are three times as slow; rank 3's times differ more than 1 %.
  const auto duration_s = [](int rank, std::uint64_t operation) {
    if (rank == 3) return 3e-6 * (1 + 0.2 * static_cast<double>(operation / 334 % 3));
    return rank == 1 ? 3e-6 : 1e-6;
  };
  const auto outcomes =
      sample_on(4, {}, duration_s, {}, all_reduce_operation(), RanksOfGroups{{0, 2}, {1, 3}});
  for (const RankOutcome& outcome : outcomes) {
    EXPECT_EQ(outcome.operations, outcomes[0].operations);
  }
  const std::vector<Samples>& rows = outcomes[0].by_group;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].operations_per_sample, rows[1].operations_per_sample);
  EXPECT_EQ(rows[0].values_s.size(), rows[1].values_s.size());
  EXPECT_GT(rows[0].values_s.size(), 20U);  // for the sake of the other group
  EXPECT_EQ(rows[0].stop, StopReason::target);
  for (const double sample_s : rows[0].values_s) EXPECT_NEAR(sample_s, 1e-6, 1e-10);
  for (std::size_t i = 0; i < rows[1].by_sample_s.size(); ++i) {
    EXPECT_NEAR(rows[1].by_sample_s[i][0], 3e-6, 1e-10);
    EXPECT_EQ(rows[1].values_s[i], std::max(rows[1].by_sample_s[i][0], rows[1].by_sample_s[i][1]));
  }
}

TEST(Sampling, ADisturbedWarmUpDoesNotMakeSamplesShort) {
  const auto outcomes =
      sample_on(1, {}, [](int, std::uint64_t operation) { return operation < 6 ? 15e-3 : 1e-6; });
  EXPECT_EQ(outcomes[0].samples.operations_per_sample, 1000U);
}

TEST(Sampling, LongOperationsAreSamplesOfTheirOwnAndWarmUpIsShort) {
  const auto outcomes = sample_on(2, {}, [](int, std::uint64_t) { return 0.5; });
  EXPECT_EQ(outcomes[0].samples.operations_per_sample, 1U);
  EXPECT_LE(outcomes[0].samples.warmup_operations, 3U);
  EXPECT_EQ(outcomes[0].samples.stop, StopReason::max_time);
  EXPECT_EQ(outcomes[0].samples.by_sample_s.size(), 4U);  // 2 s
}

TEST(Sampling, FixedOperationsReadTheClockTwiceAroundTheOneBlock) {
  SamplingOptions options;
  options.fixed_operations = 1;
  options.warmup_operations = 0;
  options.stop.fixed_samples = 1;
  const auto outcomes = sample_on(2, options, ragged_s);
  EXPECT_EQ(outcomes[1].operations, 1U);
  EXPECT_EQ(outcomes[1].clock_reads, 2U + 1U);  // the block, and the start of sampling
}

TEST(Sampling, OperationsMoveThroughTheBuffers) {
  std::vector<std::byte> memory(64);
  SamplingOptions options;
  options.fixed_operations = 6;
  options.warmup_operations = 0;
  options.stop.fixed_samples = 1;
  const Placement placement = {{memory.data(), memory.data()}, 16, 4};
  const auto outcomes = sample_on(1, options, ragged_s, placement);
  std::vector<void*> expected;
  // One untimed operation, then the six.
  for (const std::size_t offset : {0, 16, 32, 48, 0, 16, 32}) expected.push_back(&memory[offset]);
  EXPECT_EQ(outcomes[0].receive_buffers, expected);
}

TEST(Sampling, ABlockGoesOnInTheBuffersWhereTheLastHasEnded) {
  std::vector<std::byte> memory(64);
  SamplingOptions options;
  options.fixed_operations = 3;
  options.warmup_operations = 1;
  options.stop.fixed_samples = 2;
  const Placement placement = {{memory.data(), memory.data()}, 16, 4};
  const auto outcomes = sample_on(1, options, ragged_s, placement);
  std::vector<void*> expected;
  for (const std::size_t offset : {0, 16, 32, 48, 0, 16, 32}) expected.push_back(&memory[offset]);
  EXPECT_EQ(outcomes[0].receive_buffers, expected);
  EXPECT_EQ(outcomes[0].samples.walked_bytes, 64U);
}

// The first samples would find in a cache what a warm-up has left there that always starts at 0.
TEST(Sampling, OneWalkLeadsFromTheWarmUpThroughTheChoiceOfKIntoTheSamples) {
  constexpr std::uint64_t kPositions = 7;
  std::vector<std::byte> memory(16 * kPositions);
  SamplingOptions options;
  options.method.iteration_times = true;
  const Placement placement = {{memory.data(), memory.data()}, 16, kPositions};
  const auto outcomes = sample_on(1, options, ragged_s, placement);
  EXPECT_GT(outcomes[0].samples.warmup_operations, 20U * kPositions);
  const std::vector<void*>& walk = outcomes[0].receive_buffers;
  for (std::size_t i = 0; i < walk.size(); ++i) {
    ASSERT_EQ(walk[i], &memory[16 * (i % kPositions)]) << i;
  }
}

TEST(Sampling, AWalkIsNoLongerThanTheLongestBlockNeeds) {
  SamplingOptions options;
  options.fixed_operations = 1500;
  options.stop.fixed_samples = 1;
  const Placement placement = {{nullptr, nullptr}, 8, 1'000'000};
  EXPECT_EQ(sample_on(1, options, ragged_s, placement)[0].samples.walked_bytes, 1500U * 8);
  options.fixed_operations = 20;
  EXPECT_EQ(sample_on(1, options, ragged_s, placement)[0].samples.walked_bytes, 1024U * 8);
}

TEST(Sampling, AnOperationMayBeSeveralGroupsOneAfterTheOther) {
  std::vector<std::byte> memory(64);
  SamplingOptions options;
  options.fixed_operations = 3;
  options.warmup_operations = 0;
  options.stop.fixed_samples = 1;
  const Operation two_steps = {
      traffic::all_gather,
      [](const Setting&, const Buffers& b) {
        auto* const second = static_cast<std::byte*>(b.recv) + 1;
        return CallGroups{{recv(b.recv, 1, DataType::half, 0), send(b.send, 1, DataType::half, 0)},
                          {recv(second, 1, DataType::half, 0)}};
      },
      nullptr};
  const Placement placement = {{memory.data(), memory.data()}, 16, 2};
  const auto outcomes = sample_on(1, options, ragged_s, placement, two_steps);
  std::vector<void*> expected;
  // One untimed operation, then the three.
  for (const std::size_t offset : {0, 1, 16, 17, 0, 1, 16, 17}) expected.push_back(&memory[offset]);
  EXPECT_EQ(outcomes[0].receive_buffers, expected);
}

}  // namespace
}  // namespace collbench
