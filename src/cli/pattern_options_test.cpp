// SPDX-License-Identifier: Apache-2.0
#include "cli/pattern_options.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench {
namespace {

using Arguments = std::vector<std::string>;

const plan::Pattern kZeroPattern = {.name = "zero",
                                    .summary = "shards",
                                    .axis = model::Axis::dp_cp,
                                    .flag = "--dp",
                                    .scheme = {.parameters = plan::ZeroOptions{}}};
const plan::Pattern kTensorPattern = {
    .name = "tensor_parallel", .summary = "layers", .axis = model::Axis::tp, .flag = "--tp"};

PatternOptions parsed(const Arguments& arguments, const plan::Pattern& pattern = kZeroPattern) {
  Arguments all = {"--model", "tiny", "--predict"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return parse_pattern_command(all, pattern).options;
}

std::string complaint(const Arguments& arguments, const plan::Pattern& pattern = kZeroPattern) {
  try {
    const PatternOptions options = parsed(arguments, pattern);
    plan_of(options, pattern, 4);
    return "none";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(PatternOptions, ZeroAndItsVariants) {
  const PatternOptions options =
      parsed({"--zero", "deepspeed3", "--no-overlap", "--no-prefetch", "--no-reshard",
              "--gather-at-end", "--bucket-elements", "7", "--prefetch-elements", "8",
              "--reuse-elements", "9", "--persistent-elements", "10"});
  const auto& zero = std::get<plan::ZeroOptions>(options.scheme.parameters);
  EXPECT_EQ(zero.scheme, plan::Zero::deepspeed3);
  EXPECT_FALSE(zero.overlap || zero.prefetch || zero.reshard || zero.gather_with_forward);
  EXPECT_EQ(zero.bucket_elements, 7u);
  EXPECT_EQ(zero.prefetch_elements, 8u);
  EXPECT_EQ(zero.reuse_elements, 9u);
  EXPECT_EQ(zero.persistent_elements, 10u);
}

TEST(PatternOptions, DataParallelism) {
  const PatternOptions options =
      parsed({"--buckets", "megatron", "--bucket-size", "4M"}, kTensorPattern);
  const auto& buckets = std::get<plan::DataParallelOptions>(options.scheme.parameters);
  EXPECT_EQ(buckets.scheme, plan::DataParallel::megatron);
  EXPECT_EQ(buckets.bucket_bytes, 4u << 20);
  EXPECT_TRUE(buckets.overlap);
  EXPECT_EQ(complaint({"--zero", "fsdp2"}, kTensorPattern).substr(0, 21), "unknown flag '--zero'");
}

TEST(PatternOptions, SchedulesBringTheirMessages) {
  const auto pipeline = [](const Arguments& arguments) {
    return parsed(arguments).scheme.pipeline;
  };
  EXPECT_EQ(pipeline({}).messages, plan::StageMessages::fused);
  EXPECT_EQ(pipeline({"--schedule", "interleaved"}).messages, plan::StageMessages::pairs);
  EXPECT_EQ(pipeline({"--schedule", "zb-h1", "--messages", "fused"}).messages,
            plan::StageMessages::fused);
  EXPECT_EQ(pipeline({"--schedule", "gpipe"}).schedule, plan::Schedule::gpipe);
  EXPECT_EQ(parsed({"--tensor", "dtensor"}).scheme.tensor.implementation,
            model::TensorParallel::dtensor);
}

TEST(PatternOptions, Costs) {
  const plan::Costs costs =
      parsed({"--ranks-per-node", "4", "--node-link", "1.5:900", "--network-link", "0:25",
              "--tflops", "500", "--memory-GBps", "2000"})
          .costs;
  EXPECT_EQ(costs.links.ranks_per_node, 4);
  EXPECT_DOUBLE_EQ(costs.links.node.latency_s, 1.5e-6);
  EXPECT_DOUBLE_EQ(costs.links.node.bandwidth_Bps, 900e9);
  EXPECT_EQ(costs.links.network.latency_s, 0);
  EXPECT_DOUBLE_EQ(costs.compute.flops, 500e12);
  EXPECT_DOUBLE_EQ(costs.compute.memory_Bps, 2e12);
}

TEST(PatternOptions, ThePlanIsOfTheRanksThatAreStartedOrGiven) {
  EXPECT_EQ(model::ranks(plan_of(parsed({}), kZeroPattern, 4).layout), 4);
  EXPECT_EQ(model::ranks(plan_of(parsed({"--ranks", "8", "--pp", "2"}), kZeroPattern, 4).layout),
            8);
}

TEST(PatternOptions, WhatCannotBeMeant) {
  EXPECT_EQ(complaint({"--ranks", "1"}),
            "--dp is 1, so that zero has nothing to send; give --dp, or more ranks");
  EXPECT_EQ(complaint({}, kTensorPattern),
            "--tp is 1, so that tensor_parallel has nothing to send; give --tp");
  EXPECT_EQ(complaint({"--ranks", "99999999"}),
            "--ranks: 99999999 is more than 1048576, the most there may be");
  EXPECT_EQ(complaint({"--zero", "zero4"}),
            "--zero: 'zero4' is no ZeRO scheme; choose from deepspeed1, deepspeed2, deepspeed3, "
            "megatron, fsdp2, zeropp");
  EXPECT_EQ(
      complaint({"--node-link", "450"}),
      "--node-link: '450' is no link; give its latency in microseconds and its GB/s, as 5:50");
  EXPECT_EQ(complaint({"--node-link", "2:0"}), "--node-link: '0' is not a positive number of GB/s");
  EXPECT_EQ(complaint({"--ranks-per-node", "0"}),
            "--ranks-per-node: '0' is not a whole number of at least 1");
  EXPECT_EQ(complaint({"--bucket-size", "0"}, kTensorPattern),
            "--bucket-size: a bucket holds at least a byte");
  EXPECT_EQ(complaint({"--trace", ""}),
            "--trace: the file's name is empty; give a path such as step.json");
  EXPECT_EQ(complaint({"--operations"}),
            "--operations shows more of a dry run; give --dry-run as well");
}

TEST(PatternOptions, SomethingMustBeAskedFor) {
  try {
    parse_pattern_command({"--model", "tiny"}, kZeroPattern);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "patterns cannot be measured yet, only shown and predicted; give --dry-run, "
                 "--predict or --trace FILE");
  }
}

}  // namespace
}  // namespace collbench
