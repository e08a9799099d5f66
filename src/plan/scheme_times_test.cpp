// SPDX-License-Identifier: Apache-2.0
// Predicted bubbles and exposed communication against the closed forms of the papers.
#include <gtest/gtest.h>

#include "plan/checker.h"
#include "plan/predict.h"
#include "plan/totals.h"
#include "plan/training_step.h"

namespace collbench::plan {
namespace {

model::Model uniform_model() {
  model::Model model;
  model.name = "uniform";
  model.layers = 16;
  model.hidden = 1024;
  model.ffn = 4096;
  model.heads = 16;
  model.kv_heads = 16;
  model.head_dim = 64;
  model.vocabulary = 16384;
  model.sequence = 512;
  return model;
}

model::Step step_of(int micro_batches) {
  model::Step step;
  step.micro_batches = micro_batches;
  step.sequence = 512;
  return step;
}

// Computing as fast as 1e12/s; a network of 1e9 bytes a second and rank, without latency.
Costs costs_of(double bandwidth_Bps) {
  Costs costs;
  costs.links.ranks_per_node = 1;
  costs.links.network = {0, bandwidth_Bps};
  costs.compute = {1e12, 1e12};
  return costs;
}

/// Closed forms of bubbles have stages of equal work: the head does none.
void free_head(Plan& plan) {
  for (RankClass& ranks : plan.classes) {
    for (Op& op : ranks.ops) {
      if (op.label.find("head") != std::string::npos) op.gemms.clear();
    }
  }
}

Plan pipeline_of(Schedule schedule, int pp, int micro_batches, int vpp) {
  model::Layout layout;
  layout.pp = pp;
  layout.vpp = vpp;
  Scheme scheme;
  scheme.pipeline = {schedule, StageMessages::pairs};
  Plan plan = training_step("x", uniform_model(), layout, step_of(micro_batches), scheme);
  free_head(plan);
  return plan;
}

/// Seconds of a micro-batch on a rank, all its chunks.
double seconds_of(const Plan& plan, const std::string& letters) {
  Count sum = 0;
  for (const Op& op : plan.classes[0].ops) {
    if (letters.find(op.label[0]) != std::string::npos) sum += flops(op);
  }
  return static_cast<double>(sum) / 1e12 / plan.step.micro_batches;
}

double bubble_of(const Plan& plan) { return predict_step(plan, costs_of(1e9)).bubble_s; }

TEST(SchemeTimes, BubbleOfGpipeAnd1F1B) {
  for (const Schedule schedule : {Schedule::gpipe, Schedule::one_f_one_b}) {
    for (const int pp : {2, 4, 8}) {
      for (const int micro_batches : {8, 16}) {
        const Plan plan = pipeline_of(schedule, pp, micro_batches, 1);
        EXPECT_NEAR(bubble_of(plan), (pp - 1) * seconds_of(plan, "FB"), 1e-9);
      }
    }
  }
}

// What is printed beside the papers' formulas is the same number where stages are equal.
TEST(SchemeTimes, BothRatiosOfABubbleAreNamed) {
  const Plan plan = pipeline_of(Schedule::one_f_one_b, 4, 8, 1);
  const std::string text = describe(plan, predict_step(plan, costs_of(1e9)));
  EXPECT_NE(text.find("# bubble: 0.3750 of the busiest rank's computing, 0.2727 of both together; "
                      "1F1B with equal stages: (p-1)/(VM) = 0.3750, (p-1)/(VM+p-1) = 0.2727\n"),
            std::string::npos)
      << text;
}

TEST(SchemeTimes, BubbleOfTheInterleavedSchedule) {
  for (const int pp : {2, 4}) {
    for (const int vpp : {1, 2, 4}) {
      for (const int micro_batches : {4, 8, 16}) {
        const Plan plan = pipeline_of(Schedule::interleaved, pp, micro_batches, vpp);
        EXPECT_NEAR(bubble_of(plan), (pp - 1) * seconds_of(plan, "FB") / vpp, 1e-9)
            << pp << " " << vpp << " " << micro_batches;
      }
    }
  }
}

// B of the paper is the whole backward pass, W included.
TEST(SchemeTimes, BubbleOfZeroBubble) {
  for (const int pp : {2, 4, 8}) {
    for (const int micro_batches : {16, 32}) {
      const Plan plan = pipeline_of(Schedule::zb_h1, pp, micro_batches, 1);
      const double f = seconds_of(plan, "F"), b = seconds_of(plan, "BW"), w = seconds_of(plan, "W");
      EXPECT_NEAR(bubble_of(plan), (pp - 1) * (f + b - 2 * w), 1e-9) << pp << " " << micro_batches;
    }
  }
}

// ---- exposed communication, on a network that is fast enough to hide what can be hidden

constexpr double kFast = 1e12;

Plan data_parallel_step(const Scheme& scheme) {
  model::Layout layout;
  layout.dp = 4;
  return training_step("x", uniform_model(), layout, step_of(1), scheme);
}

double sent_s(const Plan& plan, double bandwidth_Bps) {
  return static_cast<double>(sent_bytes(plan, plan.classes[0])) / bandwidth_Bps;
}

/// Seconds of the operations whose labels start with one of these.
double seconds_of_messages(const Plan& plan, std::initializer_list<const char*> labels) {
  double sum = 0;
  for (const Op& op : plan.classes[0].ops) {
    for (const char* label : labels) {
      if (!op.label.starts_with(label)) continue;
      Plan single = plan;
      single.classes[0].ops = {op};
      single.classes[0].ops[0].after.clear();
      sum += sent_s(single, kFast);
    }
  }
  return sum;
}

TEST(SchemeTimes, WithoutOverlapAllOfItIsExposed) {
  for (const DataParallelOptions& options :
       {DataParallelOptions{DataParallel::single},
        DataParallelOptions{DataParallel::ddp, 1 << 20, false}}) {
    const Plan plan = data_parallel_step({options, {}, {}});
    EXPECT_NEAR(predict_step(plan, costs_of(kFast)).exposed_s, sent_s(plan, kFast), 1e-9);
  }
}

TEST(SchemeTimes, OfDdpOnlyTheLastBucketIsExposed) {
  const Plan plan =
      data_parallel_step({DataParallelOptions{DataParallel::ddp, 40 << 20, true}, {}, {}});
  const auto buckets = totals(plan, plan.classes[0])[0].messages;
  ASSERT_GT(buckets, 5u);
  const std::string last = "reduce bucket " + std::to_string(buckets - 1);
  EXPECT_NEAR(predict_step(plan, costs_of(kFast)).exposed_s,
              seconds_of_messages(plan, {last.c_str()}), 1e-9);
}

// The first gathers, before anything can be computed, and the last reductions.
TEST(SchemeTimes, OfFsdpTheEndsAreExposed) {
  Scheme scheme;
  scheme.parameters = ZeroOptions{};
  const Plan plan = data_parallel_step(scheme);
  EXPECT_NEAR(predict_step(plan, costs_of(kFast)).exposed_s,
              seconds_of_messages(plan, {"gather root", "gather layer 0 forward",
                                         "reduce-scatter layer 0", "reduce-scatter root"}),
              1e-9);
}

// Hidden: what the backward pass gathers again, and scatters, of column-parallel layers.
TEST(SchemeTimes, OfTensorParallelismTheRowParallelLayersAreExposed) {
  model::Layout layout;
  layout.tp = 4;
  const Plan plan = training_step("x", uniform_model(), layout, step_of(1), {});
  double hidden_s = 0;
  for (const char* half : {"attention", "mlp"}) {
    for (int layer = 0; layer < 16; ++layer) {
      const std::string label = "B0 layer " + std::to_string(layer) + " reduce " + half;
      hidden_s += seconds_of_messages(plan, {label.c_str()});
    }
  }
  for (int layer = 0; layer < 16; ++layer) {
    const std::string label = "B0 layer " + std::to_string(layer) + " gather saved input";
    hidden_s += seconds_of_messages(plan, {label.c_str()});
  }
  hidden_s += seconds_of_messages(plan, {"B0 head reduce head", "B0 head gather saved input"});
  EXPECT_NEAR(predict_step(plan, costs_of(kFast)).exposed_s, sent_s(plan, kFast) - hidden_s, 1e-9);
}

}  // namespace
}  // namespace collbench::plan
