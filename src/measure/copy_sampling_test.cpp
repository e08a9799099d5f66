// SPDX-License-Identifier: Apache-2.0
#include "measure/copy_sampling.h"

#include <gtest/gtest.h>

#include <mutex>

#include "measure/sampling_fakes.h"

namespace collbench {
namespace {

// A power of two, so that clocks add it up without rounding.
constexpr double kCopy_s = 1.0 / 8192;

// Ranks whose copies take (1 + rank) times that; what they did, in order.
struct Ranks {
  explicit Ranks(int its_count) : count(its_count) {}

  Samples sample(const CopySampling& options, bool alone, double copy_s = kCopy_s) {
    OneProcess process;
    RankTeam team(process, count);
    Samples of_rank0;
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < count; ++rank) {
      threads.emplace_back([&, rank] {
        CountedClockDevice device;
        IdleStream stream;
        ManualClock host_clock;
        Progress progress(host_clock);
        const CopyBench bench{team.control_plane(rank), device, stream, progress};
        const Turns turns = alone ? Turns{rank, count} : Turns{};
        const RepeatedCopy copy = {[&](std::uint64_t position) {
                                     device.clock.advance(copy_s * (1 + rank));
                                     note(rank, position);
                                   },
                                   1000, "copy"};
        const Samples samples = sample_copies(bench, turns, copy, options);
        if (rank == 0) of_rank0 = samples;
      });
    }
    threads.clear();
    return of_rank0;
  }

  void note(int rank, std::uint64_t position) {
    const std::lock_guard lock(mutex);
    order.push_back(rank);
    last_position[rank] = position;
  }

  int count;
  std::mutex mutex;
  std::vector<int> order;  // of copies
  std::map<int, std::uint64_t> last_position;
};

CopySampling fixed(std::uint64_t samples) {
  CopySampling options;
  options.stop.fixed_samples = samples;
  return options;
}

TEST(CopySampling, ASampleIsThatOfTheSlowestRank) {
  Ranks ranks(3);
  const Samples samples = ranks.sample(fixed(4), false);
  ASSERT_EQ(samples.values_s.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(samples.values_s[i], 3 * kCopy_s, 1e-9);
    ASSERT_EQ(samples.by_sample_s[i].size(), 3U);
    EXPECT_NEAR(samples.by_sample_s[i][0], kCopy_s, 1e-9);
    EXPECT_NEAR(samples.by_sample_s[i][1], 2 * kCopy_s, 1e-9);
  }
  EXPECT_EQ(samples.stop, StopReason::fixed);
}

TEST(CopySampling, ABlockIsLongEnoughAndItsCopiesWalkOn) {
  Ranks ranks(2);
  const Samples samples = ranks.sample(fixed(2), false);
  EXPECT_EQ(samples.operations_per_sample, 5U);  // 1 ms of 0.244 ms each
  EXPECT_GE(samples.warmup_operations, 5U);
  const std::uint64_t all = samples.warmup_operations + 2 * samples.operations_per_sample;
  EXPECT_EQ(ranks.last_position[0], all - 1);
  EXPECT_EQ(ranks.last_position[1], all - 1);
}

TEST(CopySampling, OneAfterTheOtherBlocksDoNotOverlap) {
  Ranks ranks(3);
  const Samples samples = ranks.sample(fixed(2), true);
  const auto k = static_cast<std::ptrdiff_t>(samples.operations_per_sample);
  ASSERT_GE(static_cast<std::ptrdiff_t>(ranks.order.size()), 6 * k);
  auto block = ranks.order.end() - 3 * k;  // the last sample
  for (int rank = 0; rank < 3; ++rank, block += k) {
    EXPECT_EQ(std::count(block, block + k, rank), k) << rank;
  }
}

TEST(CopySampling, AsManyCopiesAsAskedFor) {
  CopySampling options = fixed(1);
  options.fixed_copies = 7;
  Ranks ranks(1);
  const Samples samples = ranks.sample(options, false);
  EXPECT_EQ(samples.operations_per_sample, 7U);
  EXPECT_EQ(samples.values_s.size(), 1U);
}

TEST(CopySampling, GoesOnUntilTheMedianIsKnown) {
  const Samples samples = Ranks(1).sample({}, false);
  EXPECT_EQ(samples.values_s.size(), StopRule{}.min_samples);
  EXPECT_EQ(samples.stop, StopReason::target);
}

TEST(CopySampling, EndsOnAClockThatStandsStill) {
  const Samples samples = Ranks(1).sample(fixed(3), false, 0);
  EXPECT_EQ(samples.values_s, std::vector<double>(3, 0.0));
}

}  // namespace
}  // namespace collbench
