// SPDX-License-Identifier: Apache-2.0
#include "plan/scheme_facts.h"

#include <gtest/gtest.h>

#include "plan/exact_schemes.h"
#include "plan/print.h"

namespace collbench::plan {
namespace {

using Choices = std::map<std::string, std::string>;

TEST(SchemeFacts, ChoicesAreThoseThatMakeADifference) {
  Scheme scheme;
  EXPECT_EQ(choices(scheme, layout_of(1, 1, 4, 1)),
            (Choices{{"buckets", "ddp"}, {"overlap", "yes"}}));
  EXPECT_EQ(choices(scheme, layout_of(1, 2, 1, 1)), (Choices{{"buckets", "ddp"},
                                                             {"overlap", "yes"},
                                                             {"cp_comm_type", "p2p"},
                                                             {"cp_split", "zigzag"}}));
  scheme.context.scheme = model::ContextParallel::all_to_all;
  EXPECT_EQ(choices(scheme, layout_of(1, 2, 1, 1)).count("cp_split"), 0u);
  ZeroOptions zero;
  zero.prefetch = false;
  scheme.parameters = zero;
  EXPECT_EQ(choices(scheme, layout_of(2, 1, 2, 2)), (Choices{{"zero", "fsdp2"},
                                                             {"reshard", "yes"},
                                                             {"prefetch", "no"},
                                                             {"overlap", "yes"},
                                                             {"tensor", "megatron"},
                                                             {"fused_loss", "no"},
                                                             {"schedule", "1f1b"},
                                                             {"messages", "fused"}}));
}

TEST(SchemeFacts, ClosedFormsSayWhatPlansSend) {
  const model::Model model = small_model();
  for (const model::Layout& layout :
       {layout_of(1, 1, 4, 1), layout_of(2, 1, 2, 2), layout_of(1, 4, 2, 1)}) {
    for (const Zero kind : {Zero::deepspeed1, Zero::megatron, Zero::fsdp2}) {
      Scheme scheme;
      scheme.parameters = ZeroOptions{.scheme = kind};
      model::Step step = step_of(2);
      step.gradients = usual_gradients(scheme);
      const Plan plan = training_step("zero", model, layout, step, scheme);
      for (const RankClass& ranks : plan.classes) {
        // Each total is rounded down once.
        const auto counted = static_cast<double>(sent_bytes(plan, ranks));
        const auto formula = closed_form_bytes(model, layout, step, scheme, ranks.positions[0]);
        ASSERT_EQ(formula.has_value(), kind != Zero::fsdp2 || layout.pp == 1);
        if (!formula) continue;
        EXPECT_NEAR(counted, static_cast<double>(*formula), 20)
            << kZero[static_cast<std::size_t>(kind)].name << ' ' << name_of(plan, ranks) << '\n'
            << describe_totals(plan);
      }
    }
  }
}

TEST(SchemeFacts, ABoundIsNoClosedForm) {
  Scheme scheme;
  scheme.parameters = ZeroOptions{.scheme = Zero::deepspeed3};
  EXPECT_FALSE(closed_form_bytes(small_model(), layout_of(1, 1, 4, 1), step_of(1), scheme, 0));
}

TEST(SchemeFacts, UnevenRoutingHasNoClosedForm) {
  model::Model model = small_model();
  model.experts = {.routed = 16, .per_token = 4, .ffn = 512};
  model::Layout layout = layout_of(1, 1, 4, 1);
  layout.ep = 4;
  const auto bytes = [&](const std::string& routing) {
    Scheme scheme;
    scheme.experts.routing.spec = routing::parse_routing_spec(routing, "--routing");
    EXPECT_EQ(choices(scheme, layout).at("routing"), routing);
    EXPECT_EQ(choices(scheme, layout).at("dispatcher"), "alltoall");
    EXPECT_EQ(choices(scheme, layout).at("dispatch_type"), "bf16");
    return closed_form_bytes(model, layout, step_of(1), scheme, 0);
  };
  EXPECT_TRUE(bytes("balanced"));
  EXPECT_FALSE(bytes("zipf:1.2,seed:7"));
  EXPECT_GT(bytes("zipf:1.2,capacity:1.5"), bytes("balanced"));
}

TEST(SchemeFacts, OverlapOfSharedExpertsIsNamedWhereItIs) {
  Scheme scheme;
  scheme.experts.overlaps_shared = true;
  model::Layout layout = layout_of(1, 1, 4, 1);
  EXPECT_FALSE(choices(scheme, layout).contains("shared_expert_overlap"));
  layout.ep = 4;
  EXPECT_EQ(choices(scheme, layout).at("shared_expert_overlap"), "yes");
  EXPECT_FALSE(choices(Scheme{}, layout).contains("shared_expert_overlap"));
}

TEST(SchemeFacts, StatesAreDividedAsTheSchemeSays) {
  const model::Model model = small_model();
  const auto of = [&](Zero kind, int dp) {
    return state_bytes(model, layout_of(1, 1, dp, 1), {.parameters = ZeroOptions{.scheme = kind}});
  };
  EXPECT_EQ(of(Zero::fsdp2, 1), of(Zero::deepspeed3, 1));
  EXPECT_EQ(of(Zero::fsdp2, 4), of(Zero::fsdp2, 1) / 4);
  EXPECT_GT(of(Zero::deepspeed1, 4), of(Zero::deepspeed2, 4));
}

TEST(SchemeFacts, EverySchemeHasAnAccountingThatIsThere) {
  const model::Model model = small_model();
  const model::Layout layout = layout_of(1, 1, 4, 1);
  for (const ZeroRow& row : kZero) {
    EXPECT_GT(state_bytes(model, layout, {.parameters = ZeroOptions{.scheme = row.scheme}}), 0u);
  }
  for (const DataParallelRow& row : kDataParallel) {
    const Scheme scheme{.parameters = DataParallelOptions{.scheme = row.scheme}};
    EXPECT_GT(state_bytes(model, layout, scheme), 0u);
  }
}

}  // namespace
}  // namespace collbench::plan
