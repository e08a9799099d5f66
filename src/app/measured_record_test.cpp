// SPDX-License-Identifier: Apache-2.0
#include "app/measured_record.h"

#include <gtest/gtest.h>

namespace collbench {
namespace {

const Operation kAllReduce = {traffic::all_reduce, nullptr, nullptr};

const RowContext kContext = {kAllReduce, "mpi", 1, {}};

Samples three_samples_of_two_ranks() {
  Samples samples;
  samples.operations_per_sample = 4;
  samples.walked_bytes = 4'000'000;
  samples.by_sample_s = {{1e-3, 2e-3}, {3e-3, 1e-3}, {1e-3, 4e-3}};
  samples.values_s = {2e-3, 3e-3, 4e-3};
  samples.stop = StopReason::fixed;
  return samples;
}

Record record_of(int ranks) {
  Setting setting;
  setting.count = 250'000;
  setting.ranks = ranks;
  const SweepSize size = {1'000'000, 1'000'000, 250'000, ""};
  return blank_record({kAllReduce, "mpi", 1, {}}, setting, size, false);
}

TEST(MeasuredRecord, TimesAreTheMedianOfTheMaximaOverRanks) {
  Record record = record_of(2);
  add_samples(record, kContext, three_samples_of_two_ranks());
  EXPECT_DOUBLE_EQ(record.timing->median_s, 3e-3);
  EXPECT_EQ(record.timing->walked_bytes, 4'000'000U);
  EXPECT_FALSE(record.timing->interval95_s);  // too few samples for one
  EXPECT_EQ(record.timing->rank_last_count, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(record.timing->rank_median_s, (std::vector<double>{1e-3, 2e-3}));
  EXPECT_DOUBLE_EQ(record.timing->mean_over_ranks_s[0], 1.5e-3);
}

TEST(MeasuredRecord, ANicsRateIsThatOfTheAlgorithmTimesItsPart) {
  RowContext context = kContext;
  Record record = record_of(2);
  add_samples(record, context, three_samples_of_two_ranks());
  EXPECT_EQ(record.nic_Bps, std::nullopt);
  context.nic_factor = 0.25;
  add_samples(record, context, three_samples_of_two_ranks());
  EXPECT_DOUBLE_EQ(*record.nic_Bps, 0.25 * 1'000'000 / 3e-3);
}

TEST(MeasuredRecord, OfRanksThatTieNoneWasLast) {
  Samples samples = three_samples_of_two_ranks();
  samples.by_sample_s[1] = {3e-3, 3e-3};
  Record record = record_of(2);
  add_samples(record, kContext, samples);
  EXPECT_EQ(record.timing->rank_last_count, (std::vector<std::uint64_t>{0, 2}));
}

TEST(MeasuredRecord, MeanAndMaximumAreKeptWhateverTheSamplesAre) {
  const std::vector<double> means = {1.5e-3, 2e-3, 2.5e-3};
  const std::vector<double> maxima = {2e-3, 3e-3, 4e-3};
  for (const auto& [aggregation, mean, max] :
       {std::tuple(Aggregation::rank0, means, maxima), std::tuple(Aggregation::min, means, maxima),
        std::tuple(Aggregation::mean, std::vector<double>{}, maxima),
        std::tuple(Aggregation::max, means, std::vector<double>{})}) {
    RowContext context = kContext;
    context.method.aggregation = aggregation;
    Record record = blank_record(context, {}, {64, 64, 16, ""}, false);
    add_samples(record, context, three_samples_of_two_ranks());
    EXPECT_EQ(record.key.aggregation, name_of(aggregation));
    EXPECT_EQ(record.timing->mean_over_ranks_s, mean) << name_of(aggregation);
    EXPECT_EQ(record.timing->max_over_ranks_s, max) << name_of(aggregation);
  }
}

TEST(MeasuredRecord, BandwidthsFollowFromTheMedian) {
  Record record = record_of(4);
  add_samples(record, kContext, three_samples_of_two_ranks());
  EXPECT_DOUBLE_EQ(*record.algorithm_bandwidth_Bps, 1e6 / 3e-3);
  EXPECT_DOUBLE_EQ(*record.bus_bandwidth_Bps, 1.5 * 1e6 / 3e-3);
}

TEST(MeasuredRecord, OneRankHasNoBusBandwidth) {
  Record record = record_of(1);
  add_samples(record, kContext, three_samples_of_two_ranks());
  EXPECT_TRUE(record.algorithm_bandwidth_Bps);
  EXPECT_FALSE(record.bus_bandwidth_Bps);
}

TEST(MeasuredRecord, WrongDataIsSaid) {
  Record record = record_of(2);
  add_check(record, {100, 0, ""});
  EXPECT_EQ(record.status, RowStatus::ok);
  add_check(record, {100, 3, "rank 1, byte 8 of the result: expected 3, found 0"});
  EXPECT_EQ(record.status, RowStatus::wrong);
  EXPECT_EQ(record.check->wrong_elements, 3U);
  EXPECT_EQ(
      record.reason,
      "3 wrong of 200 elements, the first: rank 1, byte 8 of the result: expected 3, found 0");
}

TEST(MeasuredRecord, ASkippedSizeKeepsItsReason) {
  const SweepSize size = {3, 0, 0, "too small"};
  const Record record = blank_record({kAllReduce, "mpi", 1, {}}, {}, size, true);
  EXPECT_EQ(record.status, RowStatus::skipped);
  EXPECT_EQ(record.reason, "too small");
  EXPECT_TRUE(record.key.in_place);
  EXPECT_FALSE(record.timing);
}

TEST(MeasuredRecord, ARowInPiecesSaysSo) {
  SweepSize size = {64, 64, 16, ""};
  EXPECT_TRUE(blank_record({kAllReduce, "mpi", 1, {}}, {}, size, false).flags.empty());
  size.in_pieces = true;
  EXPECT_EQ(blank_record({kAllReduce, "mpi", 1, {"drift"}}, {}, size, false).flags,
            (std::vector<std::string>{"drift", "in_pieces"}));
}

TEST(MeasuredRecord, InPlaceIsSkippedWhereItIsNoValidOperation) {
  const Operation operation = {traffic::alltoall, nullptr, nullptr};
  const SweepSize size = {64, 64, 8, ""};
  EXPECT_EQ(blank_record({operation, "mpi", 1, {}}, {}, size, false).status, RowStatus::ok);
  const Record in_place = blank_record({operation, "mpi", 1, {}}, {}, size, true);
  EXPECT_EQ(in_place.status, RowStatus::skipped);
  EXPECT_EQ(in_place.reason, "in place, alltoall would overwrite what it has yet to send");
}

TEST(MeasuredRecord, OnlyRootedCollectivesHaveARoot) {
  Setting setting;
  setting.root = 2;
  const SweepSize size = {64, 64, 16, ""};
  const Operation broadcast = {traffic::broadcast, nullptr, nullptr};
  EXPECT_EQ(blank_record({broadcast, "mpi", 1, {}}, setting, size, true).key.root, 2);
  EXPECT_FALSE(blank_record({kAllReduce, "mpi", 1, {}}, setting, size, true).key.root);
}

TEST(MeasuredRecord, OfDeviceStatesTheWorstIsKept) {
  Record record;
  const DeviceState fast = {.clock_MHz = 1980, .throttled_by = {}};
  add_worst_state(record, std::vector{fast, fast});
  EXPECT_EQ(record.device_state, fast);
  EXPECT_TRUE(record.flags.empty());
  const DeviceState hot = {.clock_MHz = 1980, .throttled_by = {"hw_thermal"}};
  const DeviceState capped = {.clock_MHz = 1500, .throttled_by = {"sw_power_cap", "hw_thermal"}};
  add_worst_state(record, std::vector{fast, hot, capped});
  EXPECT_EQ(record.device_state,
            (DeviceState{.clock_MHz = 1500, .throttled_by = {"hw_thermal", "sw_power_cap"}}));
  EXPECT_EQ(record.flags, std::vector<std::string>{"throttled"});
}

}  // namespace
}  // namespace collbench
