// SPDX-License-Identifier: Apache-2.0
// Three ranks in two groups: {0, 2} and {1}.
#include "app/group_rows.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "measure/sampling_fakes.h"

namespace collbench {
namespace {

const Operation kAllGather = {traffic::all_gather, nullptr, nullptr};

CollectiveOptions options_of(Bytes bytes) {
  CollectiveOptions options;
  options.sweep.min_bytes = options.sweep.max_bytes = bytes;
  options.split = GroupRule{GroupOperator::modulo, 2};
  return options;
}

RunPlan plan_of(const CollectiveOptions& options) {
  RunPlan plan;
  plan.groups = {{{0, 2}, std::nullopt, {}}, {{1}, std::nullopt, {}}};
  for (PlannedGroup& group : plan.groups) {
    const RankPlace place = {0, static_cast<int>(group.ranks.size())};
    group.sweeps = plan_sweeps(options, traffic::all_gather, place, nullptr, 2);
  }
  return plan;
}

// Ranks 0 and 2 on different hosts.
Environment environment() {
  Environment environment;
  environment.ranks.resize(3);
  environment.ranks[2].host = 1;
  return environment;
}

GroupRecords records_of(const CollectiveOptions& options) {
  const RunPlan plan = plan_of(options);
  const auto contexts = contexts_of_groups(plan, options, kAllGather, environment(), "mpi", {}, {});
  return {plan, contexts, rows_of_groups(plan, 0, 0), false};
}

TEST(GroupRows, EveryGroupHasASizeAndAKeyOfItsOwn) {
  const GroupRecords records = records_of(options_of(80));
  const RowKey& two = records.all().at(0).key;
  const RowKey& one = records.all().at(1).key;
  EXPECT_EQ(two.message_bytes, 64U);  // 2 blocks of 32 B: blocks are multiples of 16
  EXPECT_EQ(one.message_bytes, 80U);
  EXPECT_EQ(two.ranks, 2);
  EXPECT_EQ(two.nodes, 2);
  EXPECT_EQ(one.nodes, 1);
  EXPECT_EQ(two.group, (GroupKey{"MOD 2", 0, 2}));
  EXPECT_EQ(one.group, (GroupKey{"MOD 2", 1, 2}));
  EXPECT_EQ(records.measuring(), (RanksOfGroups{{0, 2}, {1}}));
  EXPECT_EQ(records.largest_bytes(), 128U);
}

// Of two ranks on two hosts an all_gather moves one block of two to each.
TEST(GroupRows, WhatANicCarriesIsKnownWhereTheirNumberIs) {
  CollectiveOptions options = options_of(80);
  const RunPlan plan = plan_of(options);
  const auto of_groups = [&] {
    const auto all = contexts_of_groups(plan, options, kAllGather, environment(), "mpi", {}, {});
    return std::pair(all[0].nic_factor, all[1].nic_factor);
  };
  EXPECT_EQ(of_groups(), std::pair(std::optional<double>(), std::optional<double>()));
  options.nics_per_node = 4;
  EXPECT_EQ(of_groups(), std::pair(std::optional(0.125), std::optional<double>()));
}

TEST(GroupRows, AGroupThatCannotMeasureTheSizeIsLeftOut) {
  GroupRecords records = records_of(options_of(16));
  EXPECT_FALSE(records.measured_by(0));
  EXPECT_TRUE(records.measured_by(1));
  EXPECT_EQ(records.measuring(), (RanksOfGroups{{1}}));
  records.add({CheckOutcome{4, 0, ""}});
  EXPECT_FALSE(records.all()[0].check);
  EXPECT_EQ(records.all()[1].check->checked_elements, 4U);
}

TEST(GroupRows, WrongDataIsThatOfItsGroupAlone) {
  GroupRecords records = records_of(options_of(64));
  EXPECT_TRUE(records.data_is_right());
  records.add({CheckOutcome{32, 0, ""}, CheckOutcome{16, 1, "rank 1 (0 of its group), byte 12"}});
  EXPECT_EQ(records.all()[0].status, RowStatus::ok);
  EXPECT_EQ(records.all()[1].status, RowStatus::wrong);
  EXPECT_FALSE(records.data_is_right());
}

TEST(GroupRows, RanksAreToldTheirGroup) {
  Environment ranks = environment();
  set_groups(ranks, plan_of(options_of(64)));
  EXPECT_EQ(ranks.ranks[1].group, 1);
  EXPECT_EQ(ranks.ranks[2].group, 0);
}

TEST(GroupRows, WhatIdlesWaitsAsLongAsTheOthersMayTake) {
  const Operation idle = idle_operation(traffic::all_gather);
  SamplingOptions options;
  options.fixed_operations = 1;
  options.warmup_operations = 0;
  options.stop.fixed_samples = 1;
  options.deadline_s = 120;
  OneProcess process;
  CountedClockDevice device;
  TimedCommunicator comm(0, 1, device, [](std::uint64_t) { return 0.0; });
  IdleStream stream;
  stream.trace = &device.trace;
  Progress progress(device.clock);
  sample({process, comm, device, stream, nullptr}, {{0}}, idle, idle_setting(DataType::int8),
         idle_placement(16'000'000'000), options, progress, "idle");
  EXPECT_EQ(progress.step().limit_s, 1600);
  EXPECT_EQ(comm.operations, 0U);
}

TEST(GroupRows, RowsOfAnUnsplitRunHaveNoGroup) {
  CollectiveOptions options = options_of(64);
  options.split.reset();
  EXPECT_FALSE(records_of(options).all()[0].key.group);
}

}  // namespace
}  // namespace collbench
