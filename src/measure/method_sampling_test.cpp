// SPDX-License-Identifier: Apache-2.0
// What a method adds to sampling: fused operations, the time of enqueueing, single iterations.
#include <gtest/gtest.h>

#include <numeric>

#include "measure/iteration_times.h"
#include "measure/sampling_fakes.h"

namespace collbench {
namespace {

SamplingOptions one_sample_of(std::uint64_t iterations) {
  SamplingOptions options;
  options.fixed_operations = iterations;
  options.warmup_operations = 0;
  options.stop.fixed_samples = 1;
  return options;
}

double two_us(int, std::uint64_t) { return 2e-6; }

TEST(GroupedOperations, StartAsOneGroupInPlacesOfTheirOwn) {
  std::vector<std::byte> memory(64);
  const Placement placement = {{memory.data(), memory.data()}, 16, 4};
  OneProcess process;
  CountedClockDevice device;
  TimedCommunicator comm(0, 1, device, [](std::uint64_t) { return 2e-6; });
  std::vector<void*> fused;
  comm.on_group = [&](std::span<const Call> calls) {
    EXPECT_EQ(calls.size(), 2U);
    for (const Call& call : calls) fused.push_back(call.recv);
  };
  IdleStream stream;
  PreparedCalls calls(all_reduce_operation(), setting_of(0, 1), placement, 3, 2);
  calls.enqueue(3, comm, stream);
  std::vector<void*> expected;
  for (const std::size_t offset : {0, 16, 32, 48, 0, 16}) expected.push_back(&memory[offset]);
  EXPECT_EQ(fused, expected);
  EXPECT_EQ(calls.walked_bytes(), 64U);
}

TEST(GroupedOperations, TheStepsOfOperationsAreFusedOneByOne) {
  const Operation two_steps = {traffic::all_gather,
                               [](const Setting&, const Buffers& b) {
                                 return CallGroups{{send(b.send, 1, DataType::half, 0)},
                                                   {recv(b.recv, 1, DataType::half, 0)}};
                               },
                               nullptr};
  CountedClockDevice device;
  TimedCommunicator comm(0, 1, device, [](std::uint64_t) { return 0.0; });
  std::vector<CallKind> kinds;
  comm.on_group = [&](std::span<const Call> calls) {
    for (const Call& call : calls) kinds.push_back(call.kind);
  };
  IdleStream stream;
  PreparedCalls(two_steps, setting_of(0, 1), {{nullptr, nullptr}, 8, 2}, 1, 2)
      .enqueue(1, comm, stream);
  EXPECT_EQ(kinds, (std::vector{CallKind::send, CallKind::send, CallKind::recv, CallKind::recv}));
}

TEST(GroupedOperations, TimesAreOfOneOperation) {
  SamplingOptions options = one_sample_of(3);
  options.method.grouped_operations = 4;
  const auto outcomes = sample_on(2, options, two_us, {{nullptr, nullptr}, 8, 4});
  const Samples& samples = outcomes[0].samples;
  EXPECT_NEAR(samples.values_s.at(0), 0.5e-6, 1e-15);  // a group of four takes 2 us
  EXPECT_EQ(samples.operations_per_sample, 12U);
}

TEST(EnqueueTime, IsReadBeforeTheStreamIsDrained) {
  SamplingOptions options = one_sample_of(1);
  options.method.enqueue_time = true;
  const auto outcomes = sample_on(2, options, two_us);
  EXPECT_EQ(outcomes[1].trace, "ccocsc");
  EXPECT_NEAR(outcomes[0].samples.enqueue_s.at(0), 2e-6, 1e-15);
  EXPECT_TRUE(sample_on(2, one_sample_of(1), two_us)[0].samples.enqueue_s.empty());
}

TEST(IterationTimes, AreOfOneOperationEachAndMaximaOverRanks) {
  SamplingOptions options = one_sample_of(1);
  options.method.iteration_times = true;
  options.timed_iterations = 4;
  for (const ModeRow& mode : kModes) {
    if (mode.mode == Mode::graph) continue;  // starts as a whole
    options.method.mode = mode.mode;
    // The first operation is the sample's.
    const auto outcomes = sample_on(2, options, [](int rank, std::uint64_t i) {
      return (rank == 0 ? 1e-6 : 1.5e-6) * static_cast<double>(i + 1);
    });
    const Samples& samples = outcomes[0].samples;
    ASSERT_EQ(samples.iteration_s.size(), 4U) << mode.name;
    EXPECT_NEAR(samples.iteration_s[0], 3e-6, 1e-15) << mode.name;
    EXPECT_NEAR(samples.iteration_s[3], 7.5e-6, 1e-15) << mode.name;
    EXPECT_EQ(samples.values_s.size(), 1U) << mode.name;
    EXPECT_NEAR(samples.values_s[0], 1.5e-6, 1e-15) << mode.name;
    EXPECT_EQ(outcomes[0].operations, outcomes[1].operations) << mode.name;
  }
}

TEST(IterationTimes, AsManyAsTakeASecond) {
  EXPECT_EQ(iterations_to_time(1e-6), 100U);
  EXPECT_EQ(iterations_to_time(0.02), 50U);
  EXPECT_EQ(iterations_to_time(3), kLeastTimedIterations);
}

}  // namespace
}  // namespace collbench
