// SPDX-License-Identifier: Apache-2.0
// Sampling on devices that run behind their host: usual numbers of operations, graphs, events.
#include <gtest/gtest.h>

#include "measure/sampling_fakes.h"

namespace collbench {
namespace {

SamplingOptions usual(std::uint64_t operations) {
  SamplingOptions options;
  options.usual_operations = operations;
  options.stop.fixed_samples = 3;
  return options;
}

SamplingOptions graph(std::uint64_t operations, std::uint64_t launches) {
  SamplingOptions options = usual(operations);
  options.method.mode = Mode::graph;
  options.method.graph_launches = launches;
  return options;
}

Duration always(double operation_s) {
  return [operation_s](int, std::uint64_t) { return operation_s; };
}

std::uint64_t operations_per_sample(const SamplingOptions& options, double operation_s) {
  return sample_on(2, options, always(operation_s))[0].samples.operations_per_sample;
}

TEST(UsualOperations, MakeASampleUnlessItWouldLastOver50Ms) {
  EXPECT_EQ(operations_per_sample(usual(20), 1e-6), 20U);
  EXPECT_EQ(operations_per_sample(usual(20), 2e-3), 20U);
  EXPECT_EQ(operations_per_sample(usual(20), 12.4e-3), 4U);
  EXPECT_EQ(operations_per_sample(usual(20), 1), 1U);
}

TEST(UsualOperations, GiveWayToAskedForOnes) {
  SamplingOptions options = usual(20);
  options.fixed_operations = 7;
  EXPECT_EQ(operations_per_sample(options, 1), 7U);
}

TEST(Graphs, ASampleReplaysWhatWasRecordedOnce) {
  const RankOutcome outcome = sample_on(1, graph(20, 5), always(10e-6))[0];
  EXPECT_EQ(outcome.samples.operations_per_sample, 100U);
  ASSERT_EQ(outcome.samples.values_s.size(), 3U);
  for (const double value_s : outcome.samples.values_s) EXPECT_NEAR(value_s, 10e-6, 1e-12);
  EXPECT_EQ(outcome.operations, outcome.samples.warmup_operations + 3 * 100);
}

TEST(Graphs, HoldFewerOperationsWhereTheirReplaysWouldLastOver50Ms) {
  EXPECT_EQ(operations_per_sample(graph(20, 4), 1.24e-3), 40U);
  EXPECT_EQ(operations_per_sample(graph(20, 4), 1), 4U);
}

TEST(Graphs, AreReplayedBeforeTheFirstSample) {
  SamplingOptions options = graph(20, 2);
  options.warmup_operations = 0;
  options.fixed_operations = 3;
  EXPECT_EQ(sample_on(1, options, always(1e-6))[0].samples.warmup_operations, 1U + 6U);
}

TEST(Graphs, WalkOnlyWhatTheyHold) {
  std::array<std::byte, 64> memory{};
  const Placement placement = {{memory.data(), memory.data()}, 8, 8};
  SamplingOptions options = graph(20, 2);
  options.fixed_operations = 3;
  const RankOutcome outcome = sample_on(1, options, always(1e-6), placement)[0];
  EXPECT_EQ(outcome.samples.walked_bytes, 24U);
}

TEST(DeviceEvents, AreKeptBesideTheHostsTimesWithWhatEnqueueingTook) {
  const RankOutcome outcome =
      sample_on(2, usual(20), always(10e-6), {}, all_reduce_operation(), {}, true)[0];
  ASSERT_EQ(outcome.samples.device_s.size(), 3U);
  for (const double device_s : outcome.samples.device_s) EXPECT_NEAR(device_s, 10e-6, 1e-12);
  // On this device an operation is done when it is enqueued.
  for (const double share : outcome.samples.enqueue_share) EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_TRUE(sample_on(2, usual(20), always(10e-6))[0].samples.device_s.empty());
}

}  // namespace
}  // namespace collbench
