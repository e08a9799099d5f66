// SPDX-License-Identifier: Apache-2.0
#include "cli/pattern_options.h"

#include <gtest/gtest.h>

#include <algorithm>

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
  Arguments all = {"--predict"};
  const bool has_model =
      std::find(arguments.begin(), arguments.end(), "--model") != arguments.end();
  if (!has_model) all.insert(all.end(), {"--model", "tiny"});
  all.insert(all.end(), arguments.begin(), arguments.end());
  return parse_pattern_command(all, pattern).options;
}

std::string complaint(const Arguments& arguments, const plan::Pattern& pattern = kZeroPattern) {
  try {
    const PatternOptions options = parsed(arguments, pattern);
    plan_of(options, pattern, layout_of(options, pattern, 4));
    return "none";
  } catch (const UserError& error) {
    return error.what();
  }
}

const plan::Pattern kHybridPattern = {.name = "hybrid_parallel",
                                      .summary = "several axes",
                                      .axis = model::Axis::world,
                                      .flag = "two of them",
                                      .scheme = {.parameters = plan::ZeroOptions{}},
                                      .mixes = true};

TEST(PatternOptions, AHybridHasTwoAxesAndMeasuresWhatTheyCostEachOther) {
  const auto interference = [](const Arguments& arguments, const plan::Pattern& pattern) {
    return parsed(arguments, pattern).replay.interference;
  };
  EXPECT_TRUE(interference({}, kHybridPattern));
  EXPECT_FALSE(interference({"--interference", "0"}, kHybridPattern));
  EXPECT_FALSE(interference({"--step-only"}, kHybridPattern));
  EXPECT_FALSE(interference({}, kZeroPattern));
  EXPECT_TRUE(interference({"--interference", "1"}, kZeroPattern));
  EXPECT_EQ(complaint({"--interference", "1", "--step-only"}),
            "--interference measures more than the step; leave out --step-only");
  EXPECT_EQ(complaint({"--tp", "2"}, kHybridPattern), "none");  // beside dp 2
  EXPECT_EQ(complaint({}, kHybridPattern),
            "hybrid_parallel is of two axes or more, and here ranks differ on one at most; give "
            "two of them, or more ranks");
}

TEST(PatternOptions, ZeroAndItsVariants) {
  const PatternOptions options =
      parsed({"--zero", "deepspeed3", "--no-overlap", "--no-prefetch", "--bucket-elements", "7",
              "--prefetch-elements", "8", "--reuse-elements", "9", "--persistent-elements", "10"});
  const auto& zero = std::get<plan::ZeroOptions>(options.scheme.parameters);
  EXPECT_EQ(zero.scheme, plan::Zero::deepspeed3);
  EXPECT_FALSE(zero.overlap || zero.prefetch);
  EXPECT_EQ(zero.bucket_elements, 7u);
  EXPECT_EQ(zero.prefetch_elements, 8u);
  EXPECT_EQ(zero.reuse_elements, 9u);
  EXPECT_EQ(zero.persistent_elements, 10u);
}

TEST(PatternOptions, FlagsOfOtherSchemesAreRefused) {
  const auto zero = [](const Arguments& arguments) {
    return std::get<plan::ZeroOptions>(parsed(arguments).scheme.parameters);
  };
  EXPECT_FALSE(zero({"--no-reshard"}).reshard);
  EXPECT_FALSE(zero({"--zero", "megatron", "--gather-at-end"}).gather_with_forward);
  EXPECT_EQ(complaint({"--zero", "megatron", "--no-reshard"}),
            "--no-reshard says nothing of --zero megatron; it is for fsdp2");
  EXPECT_EQ(complaint({"--zero", "zeropp", "--no-prefetch"}),
            "--no-prefetch says nothing of --zero zeropp; it is for fsdp2 or deepspeed3");
  EXPECT_EQ(complaint({"--reuse-elements", "5"}),
            "--reuse-elements says nothing of --zero fsdp2; it is for deepspeed3");
  EXPECT_EQ(complaint({"--buckets", "single", "--bucket-size", "5"}, kTensorPattern),
            "--bucket-size says nothing of these --buckets; it is for ddp");
}

TEST(PatternOptions, DataParallelism) {
  const PatternOptions options =
      parsed({"--buckets", "ddp", "--bucket-size", "4M"}, kTensorPattern);
  const auto& buckets = std::get<plan::DataParallelOptions>(options.scheme.parameters);
  EXPECT_EQ(buckets.scheme, plan::DataParallel::ddp);
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

TEST(PatternOptions, ContextParallelism) {
  const plan::ContextOptions usual = parsed({}).scheme.context;
  EXPECT_EQ(usual.scheme, model::ContextParallel::ring);
  EXPECT_EQ(usual.split, plan::ContextSplit::zigzag);
  const plan::ContextOptions chosen =
      parsed({"--cp-comm-type", "ring-flash", "--cp-split", "contiguous"}).scheme.context;
  EXPECT_EQ(chosen.scheme, model::ContextParallel::ring_float_gradients);
  EXPECT_EQ(chosen.split, plan::ContextSplit::contiguous);
  EXPECT_EQ(
      complaint({"--cp-comm-type", "ring"}),
      "--cp-comm-type: 'ring' is no kind of context parallelism; choose from p2p, ring-flash, "
      "all_gather, a2a, a2a+p2p");
  EXPECT_EQ(complaint({"--cp", "2", "--cp-comm-type", "a2a+p2p"}),
            "a2a+p2p: neighbours exchange heads, and there is no saying how many; give --cp-a2a, "
            "or choose p2p");
  EXPECT_EQ(complaint({"--cp", "4", "--cp-a2a", "2"}),
            "--cp-a2a says how many ranks exchange heads within a ring; give --cp-comm-type "
            "a2a+p2p, or leave it out");
  EXPECT_EQ(complaint({"--cp", "4", "--cp-a2a", "3", "--cp-comm-type", "a2a+p2p"}),
            "impossible layout: 3 ranks that exchange heads do not divide cp = 4; change --cp-a2a, "
            "or cp");
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
  EXPECT_EQ(model::ranks(layout_of(parsed({}), kZeroPattern, 4)), 4);
  EXPECT_EQ(model::ranks(layout_of(parsed({"--ranks", "8", "--pp", "2"}), kZeroPattern, 4)), 8);
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

// Of a run that measures.
PatternOptions measured(const Arguments& arguments) {
  Arguments all = {"--model", "tiny"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return parse_pattern_command(all, kZeroPattern).options;
}

std::string refusal(const Arguments& arguments, int ranks = 4) {
  try {
    measured_layouts(measured(arguments), kZeroPattern, ranks);
    return "none";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(PatternOptions, AScaledDegreeIsSaidOnce) {
  EXPECT_EQ(refusal({"--scale", "1,2", "--dp", "4"}),
            "--dp 4: --scale varies this degree; leave out one of the two");
  EXPECT_EQ(refusal({"--scale", "tp:1,2"}).substr(0, 8), "--dp is ");
  EXPECT_EQ(refusal({"--scale", "1,2"}), "none");
}

TEST(PatternOptions, ATraceIsNotTheResult) {
  EXPECT_EQ(refusal({"-J", "x.json", "--trace", "./x.json"}),
            "--trace ./x.json: -J x.json is there, or its rows; give another name");
  EXPECT_NE(refusal({"-J", "x.json", "--trace", "x.json.rows"}), "none");
  EXPECT_EQ(refusal({"-J", "x.json", "--trace", "y.json"}), "none");
}

TEST(PatternOptions, HowAStepIsMeasured) {
  const PatternOptions usual = measured({});
  EXPECT_TRUE(usual.measures());
  EXPECT_EQ(usual.replay.compute, replay::Compute::gemm);
  EXPECT_FALSE(usual.rate_is_given || usual.replay.layers || usual.replay.shrink);
  EXPECT_TRUE(usual.replay.check);

  const PatternOptions chosen =
      measured({"--compute", "busy", "--tflops", "0.01", "--layers", "1", "--shrink", "8",
                "--steps", "3", "-w", "0", "-c", "0", "-J", "x.json", "-T", "7"});
  EXPECT_EQ(chosen.replay.compute, replay::Compute::busy);
  EXPECT_TRUE(chosen.rate_is_given);
  EXPECT_EQ(chosen.replay.layers, 1);
  EXPECT_EQ(chosen.model.layers, 1);
  EXPECT_EQ(chosen.replay.shrink, 8u);
  EXPECT_EQ(chosen.replay.steps, 3u);
  EXPECT_EQ(chosen.replay.warmup, 0u);
  EXPECT_FALSE(chosen.replay.check);
  EXPECT_EQ(chosen.json_path, "x.json");
  EXPECT_EQ(chosen.timeout_s, 7);
}

TEST(PatternOptions, ScalesOverOneAxis) {
  const auto ranks = [](const Arguments& arguments) {
    std::vector<int> all;
    for (const model::Layout& layout : measured_layouts(measured(arguments), kZeroPattern, 8)) {
      all.push_back(model::ranks(layout));
    }
    return all;
  };
  EXPECT_EQ(ranks({}), (std::vector<int>{8}));
  EXPECT_EQ(ranks({"--scale", "1,2,4"}), (std::vector<int>{1, 2, 4}));
  EXPECT_EQ(ranks({"--scale", "2,4", "--pp", "2"}), (std::vector<int>{4, 8}));
  EXPECT_EQ(ranks({"--scale", "tp:1,2", "--dp", "2"}), (std::vector<int>{2, 4}));
}

TEST(PatternOptions, EachDegreeHasItsOwnTrace) {
  const auto paths = [](const Arguments& arguments) { return trace_paths(measured(arguments)); };
  EXPECT_EQ(paths({}), Arguments{});
  EXPECT_EQ(paths({"--trace", "a.b/step.json"}), Arguments{"a.b/step.json"});
  EXPECT_EQ(paths({"--trace", "a.b/step.json", "--scale", "tp:1,2"}),
            (Arguments{"a.b/step.tp1.json", "a.b/step.tp2.json"}));
  EXPECT_EQ(paths({"--trace", "a.b/step", "--scale", "2"}), Arguments{"a.b/step.dp2"});
  EXPECT_EQ(trace_path(measured({"--trace", "t.json", "--scale", "1,2"}), {.dp = 2}), "t.dp2.json");
}

TEST(PatternOptions, WhatCannotBeMeasured) {
  EXPECT_EQ(refusal({"--ranks", "8"}),
            "--ranks 8: 4 ranks are started; start as many with mpirun -np 8, or give --predict or "
            "--dry-run");
  EXPECT_EQ(refusal({"--scale", "2,8"}),
            "--scale: dp 8 needs 8 ranks, and 4 ranks are started; start more, or leave it out");
  EXPECT_EQ(refusal({"--scale", "4,2"}),
            "--scale: 2 comes after 4; give degrees in ascending order, the first is what the "
            "others are compared with");
  EXPECT_EQ(refusal({"--scale", "xp:1,2"}),
            "--scale: 'xp' is no axis to scale; choose from dp, tp, cp, pp");
  EXPECT_EQ(refusal({"--scale", "1,2", "--predict"}), "--scale is measured; leave out --predict");
  EXPECT_EQ(refusal({"-J", "x", "--dry-run"}),
            "-J: --dry-run measures nothing to write; leave out one of the two");
  EXPECT_EQ(refusal({"--shrink", "1"}), "--shrink: '1' is not a whole number of at least 2");
  EXPECT_EQ(refusal({}, 1),
            "--dp is 1, so that zero has nothing to send; give --dp, or more ranks");
}

}  // namespace
}  // namespace collbench
