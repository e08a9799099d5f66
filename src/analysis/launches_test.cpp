// SPDX-License-Identifier: Apache-2.0
#include "analysis/launches.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>
#include <string>

#include "base/errors.h"
#include "results/example_steps.h"

namespace collbench {
namespace {

Document run(const std::string& id, std::vector<Record> rows) {
  Document document = example::ended();
  document.run.id = id;
  document.rows = std::move(rows);
  return document;
}

Record timed(double time_s, bool in_place = false) {
  Record row = example::measured(in_place);
  row.timing->median_s = time_s;
  row.timing->interval95_s = {time_s * 0.9, time_s * 1.1};
  return row;
}

TEST(Launches, ARowHasOneValuePerLaunch) {
  LaunchCollector collector;
  collector.add("a.json", run("a", {timed(1), timed(2, true)}));
  collector.add("b.json", run("b", {timed(4, true), timed(3)}));
  const Launches side = collector.take();
  ASSERT_EQ(side.launches.size(), 2U);
  EXPECT_EQ(side.launches[1].file, "b.json");
  EXPECT_EQ(side.environments.size(), 2U);
  ASSERT_EQ(side.rows.size(), 2U);
  EXPECT_EQ(side.rows[0].key, MeasurementKey(example::measured(false).key));
  const std::vector<LaunchValue> values = {{0, 1, statistics::Interval{0.9, 1.1}},
                                           {1, 3, statistics::Interval{2.7, 3.3}}};
  EXPECT_EQ(side.rows[0].values.size(), 2U);
  EXPECT_EQ(side.rows[0].values[0], values[0]);
  EXPECT_DOUBLE_EQ(side.rows[0].values[1].time_s, 3);
  EXPECT_EQ(side.rows[1].values[1].launch, 1U);
}

// chematic#70, rustbgpd#566: what one process measured repeatedly is one value.
TEST(Launches, CyclesOfOneLaunchAreNoReplicates) {
  LaunchCollector collector;
  collector.add("a.json", run("a", {timed(1), timed(2), timed(9)}));
  const Launches side = collector.take();
  ASSERT_EQ(side.rows.size(), 1U);
  EXPECT_EQ(side.rows[0].values, (std::vector<LaunchValue>{{0, 2, std::nullopt}}));
}

TEST(Launches, TheCyclesOfASoakCount) {
  Document soak = example::soak();
  soak.cycles.erase(soak.cycles.begin() + 3);  // the one of wrong data
  LaunchCollector collector;
  collector.add("soak.json", soak);
  const Launches side = collector.take();
  ASSERT_EQ(side.rows.size(), 2U);
  EXPECT_DOUBLE_EQ(side.rows[0].values.at(0).time_s, 285.215e-6);  // of 270, 285.215 and 299.5
}

TEST(Launches, WrongDataInOneCycleSpoilsTheLaunch) {
  LaunchCollector collector;
  collector.add("soak.json", example::soak());
  const Launches side = collector.take();
  EXPECT_TRUE(side.rows[1].values.empty());
  ASSERT_EQ(side.rows[1].gaps.size(), 1U);
  EXPECT_EQ(side.rows[1].gaps[0].status, RowStatus::wrong);
}

TEST(Launches, RowsWithoutATimeKeepTheirReason) {
  LaunchCollector collector;
  Record zero = timed(1);
  zero.key.message_bytes = 16;
  zero.timing->median_s = 0;
  collector.add("a.json", run("a", {example::wrong(), example::skipped(), zero}));
  const Launches side = collector.take();
  ASSERT_EQ(side.rows.size(), 3U);
  EXPECT_EQ(side.rows[0].gaps[0], (LaunchGap{0, RowStatus::wrong, example::wrong().reason}));
  EXPECT_EQ(side.rows[1].gaps[0].status, RowStatus::skipped);
  EXPECT_EQ(side.rows[2].gaps[0],
            (LaunchGap{0, RowStatus::failed, "it has no finite time above zero"}));
}

TEST(Launches, FlagsAreCounted) {
  Record row = timed(1);
  row.flags = {"throttled", "outliers"};
  LaunchCollector collector({"in_place"});  // and of rows that are wanted only
  Record other = timed(1, true);
  other.flags = {"throttled"};
  collector.add("a.json", run("a", {row, other}));
  EXPECT_EQ(collector.take().flags, (std::map<std::string, std::size_t>{{"throttled", 1}}));
}

TEST(Launches, ATimeWithoutBoundsIsNone) {
  LaunchCollector collector;
  collector.add("a.json", run("a", {timed(std::numeric_limits<double>::infinity())}));
  const Launches side = collector.take();
  EXPECT_TRUE(side.rows.at(0).values.empty());
  EXPECT_EQ(side.rows.at(0).gaps.at(0).status, RowStatus::failed);
}

TEST(Launches, ASizeThatRoundsToAMeasuredOneIsNoGap) {
  Record rounded = timed(1);
  rounded.status = RowStatus::skipped;
  rounded.reason = "rounds to 8 B for 2 ranks, which is measured already";
  rounded.timing.reset();
  LaunchCollector collector;
  collector.add("a.json", run("a", {timed(1), rounded}));
  const Launches side = collector.take();
  ASSERT_EQ(side.rows.size(), 1U);
  EXPECT_TRUE(side.rows[0].gaps.empty());
  EXPECT_EQ(side.rows[0].values.size(), 1U);
}

TEST(Launches, StepsAreRowsToo) {
  LaunchCollector collector;
  collector.add("a.json", example::pattern());
  const Launches side = collector.take();
  ASSERT_EQ(side.rows.size(), 3U);
  EXPECT_EQ(side.rows[0].name,
            "zero/llama3-8b/schedule:1f1b/zero:fsdp2/tp:2/dp:2/micro_batches:4/sequence:8192/"
            "ranks:4/nodes:2/mpi/ranks_per_process:2/compute:gemm");
  EXPECT_DOUBLE_EQ(side.rows[0].values.at(0).time_s, 20e-3);
  EXPECT_EQ(side.rows[1].gaps.at(0).status, RowStatus::wrong);
  EXPECT_TRUE(side.rows[1].name.ends_with("/layers:2/shrink:16"));
}

TEST(Launches, TheSameRunTwiceIsRefused) {
  LaunchCollector collector;
  collector.add("a.json", run("a", {timed(1)}));
  try {
    collector.add("copy.json", run("a", {timed(1)}));
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_STREQ(
        error.what(),
        "a.json and copy.json hold the same run; give each launch once: repeated, it would "
        "look like launches that agree");
  }
  collector.add("x.json", run("", {timed(1)}));
  Document later = run("", {timed(1)});  // of a file without a run's id, its content tells
  EXPECT_THROW(collector.add("y.json", later), UserError);
  later.run.started = "2027-03-01T12:00:00Z";
  EXPECT_NO_THROW(collector.add("y.json", later));
}

TEST(Launches, FiltersArePartsOfNames) {
  LaunchCollector collector({"in_place", "no such"});
  collector.add("a.json", run("a", {timed(1), timed(2, true)}));
  Document soak = example::soak();
  soak.run.id = "b";
  collector.add("b.json", soak);
  const Launches side = collector.take();
  ASSERT_EQ(side.rows.size(), 1U);
  EXPECT_EQ(side.rows[0].name, "all_reduce/float/sum/8B/ranks:2/nodes:2/mpi/in_place");
}

TEST(Launches, AFilterThatFitsNoRowOfEitherSideIsRefused) {
  LaunchCollector base({"in_place", "/8B/"}), candidate({"in_place", "/8B/"});
  base.add("a.json", run("a", {timed(1)}));
  candidate.add("b.json", run("b", {timed(1)}));
  try {
    require_matches(base, candidate);
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "--filter: 'in_place' is in the name of no row");
  }
  candidate.add("c.json", run("c", {timed(1, true)}));
  EXPECT_NO_THROW(require_matches(base, candidate));
  LaunchCollector none({"reduce_all"});
  none.add("a.json", run("a", {timed(1)}));
  try {
    require_matches(none, none);
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "--filter: 'reduce_all' is in the name of no row; there is, for "
                 "instance, all_reduce/float/sum/8B/ranks:2/nodes:2/mpi");
  }
}

TEST(MeasurementNames, DifferWhereKeysDo) {
  const RowKey plain = example::measured(false).key;
  std::vector<RowKey> keys(13, plain);
  keys[1].type = DataType::int32;
  keys[2].op.reset();
  keys[3].message_bytes = 12;
  keys[4].count = 3;
  keys[5].ranks = 3;
  keys[6].nodes = 1;
  keys[7].root = 0;
  keys[8].mode = "isolated";
  keys[9].aggregation = "mean";
  keys[10].ranks_per_process = 2;
  keys[11].grouped_operations = 4;
  keys[12].matrix = "zipf:1.2 seed 7";
  keys.push_back(plain);
  keys.back().group = GroupKey{"MOD 2", 1, 2};
  keys.push_back(plain);
  keys.back().offset_elements = 1;
  keys.push_back(plain);
  keys.back().backend = "nccl";
  std::map<std::string, std::size_t> names;
  for (const RowKey& key : keys) ++names[name_of(key)];
  EXPECT_EQ(names.size(), keys.size());
}

TEST(MeasurementKeys, StepsThatDifferInAnythingHaveNamesOfTheirOwn) {
  const StepKey plain = example::step().key;
  std::vector<StepKey> keys(13, plain);
  keys[1].pattern = "data_parallel";
  keys[2].model = "llama3-70b";
  keys[3].scheme["zero"] = "megatron";
  keys[4].layout.dp = 4;
  keys[5].step.sequence = 4096;
  keys[6].ranks = 8;
  keys[7].nodes = 1;
  keys[8].ranks_per_process = 1;
  keys[9].backend = "nccl";
  keys[10].busy_flops = 4e13;
  keys[11].layers = 2;
  keys[12].shrink = 16;
  keys.push_back(plain);
  keys.back().compute = "none";
  std::set<std::string> names;
  for (const StepKey& key : keys) names.insert(name_of(key));
  EXPECT_EQ(names.size(), keys.size());
}

}  // namespace
}  // namespace collbench
