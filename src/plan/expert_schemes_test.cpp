// SPDX-License-Identifier: Apache-2.0
// The schemes with models that have experts or latent attention.
#include <gtest/gtest.h>

#include "model/flops.h"
#include "plan/exact_schemes.h"

namespace collbench::plan {
namespace {

/// Six layers of eight are a mixture of experts, with shared ones.
model::Model small_mixture() {
  model::Model model = small_model();
  model.experts = {.routed = 16, .per_token = 4, .ffn = 512, .shared = 2, .dense_layers = 2};
  return model;
}

model::Model with_latent_attention(model::Model model) {
  model.latent_attention = {.query_rank = 256,
                            .kv_rank = 128,
                            .nope_head_dim = 64,
                            .rope_head_dim = 32,
                            .value_head_dim = 64};
  return model;
}

model::Layout with_experts(model::Layout layout, int ep, std::optional<int> etp = std::nullopt) {
  layout.ep = ep;
  layout.etp = etp;
  return layout;
}

// Where other ranks hold the same experts, dense parameters and experts are reduced apart, each by
// the scheme's rule.
TEST(ExpertSchemes, ZeroOfExperts) {
  for (const ZeroRow& row : kZero) {
    for (const bool overlap : {true, false}) {
      for (const auto& layout :
           {with_experts(layout_of(1, 1, 8, 1), 1), with_experts(layout_of(1, 1, 8, 1), 4),
            with_experts(layout_of(1, 1, 8, 1, 2), 4), with_experts(layout_of(2, 2, 4, 1, 2), 4, 1),
            with_experts(layout_of(2, 1, 4, 1), 1, 1), with_experts(layout_of(1, 1, 8, 1), 8)}) {
        ZeroOptions options;
        options.scheme = row.scheme;
        options.overlap = overlap;
        options.reuse_elements = options.persistent_elements = 0;
        options.bucket_elements = 3000000;
        Case c{fmt::format("{} overlap {} dp {} ep {} replicas {}", row.name, overlap, layout.dp,
                           layout.ep, layout.replicas),
               layout, step_of(2), with(options), small_mixture()};
        if (has_one_type(row.scheme)) {
          c.step.gradients = DataType::bfloat16;
        }
        EXPECT_EQ(faults_of(c), "");
      }
    }
  }
}

TEST(ExpertSchemes, Fsdp2OfExpertsReshardsInGroups) {
  ZeroOptions options;
  options.reshard_in_groups = true;
  EXPECT_EQ(faults_of(Case{"in groups", with_experts(layout_of(1, 1, 16, 1, 2), 4), step_of(2),
                           with(options), small_mixture()}),
            "");
}

TEST(ExpertSchemes, DataParallelOfExperts) {
  for (const DataParallelRow& row : kDataParallel) {
    for (const auto& layout :
         {with_experts(layout_of(1, 1, 8, 1), 1), with_experts(layout_of(1, 1, 8, 1), 4),
          with_experts(layout_of(2, 2, 4, 2), 8, 1), with_experts(layout_of(4, 1, 2, 1), 1, 2)}) {
      EXPECT_EQ(faults_of(Case{fmt::format("{} ep {} tp {}", row.name, layout.ep, layout.tp),
                               layout, step_of(4), with(DataParallelOptions{row.scheme, 1 << 22}),
                               small_mixture()}),
                "");
    }
  }
}

TEST(ExpertSchemes, TensorParallelOfExpertsAndLatentAttention) {
  for (const auto& model : {small_mixture(), with_latent_attention(small_model()),
                            with_latent_attention(small_mixture())}) {
    for (const auto recompute :
         {model::Recompute::none, model::Recompute::selective, model::Recompute::full}) {
      for (const auto& layout :
           {with_experts(layout_of(4, 1, 2, 1), 1), with_experts(layout_of(2, 2, 2, 2), 1)}) {
        model::Step step = step_of(2);
        step.recompute = recompute;
        EXPECT_EQ(
            faults_of(Case{fmt::format("tp {} latent {} experts {} recompute {}", layout.tp,
                                       model.latent_attention.has_value(),
                                       model.experts.has_value(), static_cast<int>(recompute)),
                           layout, step, Scheme{}, model}),
            "");
      }
    }
  }
}

TEST(ExpertSchemes, PaddedToACapacity) {
  for (const auto& layout :
       {with_experts(layout_of(1, 1, 8, 1), 4), with_experts(layout_of(2, 1, 4, 2), 4, 2)}) {
    Case c{fmt::format("ep {} tp {}", layout.ep, layout.tp), layout, step_of(2), Scheme{},
           small_mixture()};
    c.step.recompute = model::Recompute::full;
    c.scheme.experts.routing.spec =
        routing::parse_routing_spec("uniform,capacity:1.5", "--routing");
    EXPECT_EQ(faults_of(c), "");
  }
}

TEST(ExpertSchemes, OtherDispatchersAndTypes) {
  for (const Dispatcher dispatcher : {Dispatcher::alltoall, Dispatcher::allgather}) {
    for (const DispatchType type : {DispatchType::bf16, DispatchType::fp8}) {
      for (const auto& layout :
           {with_experts(layout_of(1, 1, 8, 1), 4), with_experts(layout_of(2, 1, 4, 2), 4, 2)}) {
        Case c{fmt::format("dispatcher {} type {} tp {}", static_cast<int>(dispatcher),
                           static_cast<int>(type), layout.tp),
               layout, step_of(2), Scheme{}, small_mixture()};
        c.step.recompute = layout.tp == 2 ? model::Recompute::full : model::Recompute::none;
        c.scheme.experts.dispatcher = dispatcher;
        c.scheme.experts.type = type;
        EXPECT_EQ(faults_of(c), "");
      }
    }
  }
}

TEST(ExpertSchemes, PipelinesOfExperts) {
  for (const ScheduleRow& schedule : kSchedules) {
    const bool interleaved = schedule.schedule == Schedule::interleaved;
    Case c{std::string(schedule.name),
           with_experts(layout_of(2, 1, 4, 2, 2, interleaved ? 2 : 1), 2), step_of(4),
           with(ZeroOptions{Zero::megatron}), with_latent_attention(small_mixture())};
    c.scheme.pipeline = {schedule.schedule, StageMessages::pairs};
    EXPECT_EQ(faults_of(c), "");
    c.layout.stage_layers =
        interleaved ? std::vector{2, 2, 2, 2} : std::vector{2, 6};  // no experts
    EXPECT_EQ(faults_of(c), "");
  }
}

// 2 m n k of all products of all ranks = the model's operations per token x the step's tokens.
TEST(ExpertSchemes, ComputeWhatTheModelTakes) {
  model::Model predicting = with_latent_attention(small_mixture());
  predicting.prediction_layers = 1;
  for (const auto& model :
       {small_model(), small_mixture(), with_latent_attention(small_mixture()), predicting}) {
    for (const auto& layout : {with_experts(layout_of(1, 1, 4, 1), 4),
                               with_experts(layout_of(4, 1, 2, 2), 2), layout_of(2, 2, 2, 2)}) {
      if (!model.experts && layout.ep > 1) continue;
      if (model.prediction_layers > 0 && layout.tp > 1) continue;
      const model::Step step = step_of(4);
      const Plan plan = training_step("test", model, layout, step, Scheme{});
      double sum = 0;
      for (const RankClass& ranks : plan.classes) {
        sum += static_cast<double>(flops(ranks)) * ranks.ranks;
      }
      const double tokens = 512.0 * 2 * 4 * layout.dp;
      EXPECT_NEAR(sum, tokens * model::training_flops_per_token(model, 512), sum * 1e-12)
          << layout.tp << " " << layout.ep;
    }
  }
}

}  // namespace
}  // namespace collbench::plan
