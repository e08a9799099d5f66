// SPDX-License-Identifier: Apache-2.0
// Every scheme over a spread of layouts: plans are sound and send what closed forms say.
#include <gtest/gtest.h>

#include "plan/exact_schemes.h"

namespace collbench::plan {
namespace {

TEST(Schemes, DataParallel) {
  for (const DataParallelRow& row : kDataParallel) {
    for (const bool overlap : {true, false}) {
      for (const auto& layout : {layout_of(1, 1, 2, 1), layout_of(1, 1, 5, 1),
                                 layout_of(2, 2, 4, 1), layout_of(1, 1, 1, 1)}) {
        EXPECT_EQ(
            faults_of({fmt::format("{} overlap {} of {} ranks", row.name, overlap, ranks(layout)),
                       layout, step_of(3),
                       with(DataParallelOptions{row.scheme, 1 << 22, overlap})}),
            "");
      }
    }
  }
}

TEST(Schemes, Zero) {
  for (const ZeroRow& row : kZero) {
    for (const bool overlap : {true, false}) {
      for (const bool reshard : {true, false}) {
        for (const auto& layout : {layout_of(1, 1, 2, 1), layout_of(1, 1, 8, 1),
                                   layout_of(1, 1, 8, 1, 2), layout_of(2, 2, 4, 1, 4)}) {
          ZeroOptions options;
          options.scheme = row.scheme;
          options.overlap = overlap;
          options.reshard = reshard;
          options.prefetch = reshard;
          options.gather_with_forward = reshard;
          options.reuse_elements = options.persistent_elements = 0;
          options.bucket_elements = 3000000;
          model::Step step = step_of(2);
          if (has_one_type(row.scheme)) {
            step.gradients = DataType::bfloat16;
          }
          EXPECT_EQ(
              faults_of({fmt::format("{} overlap {} reshard {} of {} ranks, {} replicas", row.name,
                                     overlap, reshard, ranks(layout), layout.replicas),
                         layout, step, with(options)}),
              "");
        }
      }
    }
  }
}

TEST(Schemes, Fsdp2ReshardsInGroups) {
  ZeroOptions options;
  options.reshard_in_groups = true;
  for (const auto& layout :
       {layout_of(1, 1, 8, 1, 2), layout_of(1, 1, 8, 1, 8), layout_of(2, 2, 4, 1, 2)}) {
    const Case c{fmt::format("{} ranks, {} replicas", ranks(layout), layout.replicas), layout,
                 step_of(2), with(options)};
    EXPECT_EQ(faults_of(c), "");
  }
}

// Stages 1 and 2 with a reduction per owner: parts of buckets, none lost, also of shards that no
// bucket ends with.
TEST(Schemes, DeepSpeedReducesToOwners) {
  for (const Zero scheme : {Zero::deepspeed1, Zero::deepspeed2}) {
    for (const int ranks : {2, 3, 8, 64}) {
      ZeroOptions options{.scheme = scheme, .reduce_to_owners = true};
      options.bucket_elements = 3000000;
      Case c{fmt::format("{} ranks", ranks), layout_of(1, 1, ranks, 1), step_of(2), with(options)};
      c.step.gradients = DataType::bfloat16;
      const Plan plan = training_step("x", c.model, c.layout, c.step, c.scheme);
      Count elements = 0;
      for (const Op& op : plan.classes[0].ops) {
        for (const Message& message : op.messages) {
          if (message.collective == Collective::reduce) elements += message.count;
        }
      }
      const Count passes = scheme == Zero::deepspeed1 ? 1 : 2;
      EXPECT_EQ(elements, passes * model::rank_parameters(c.model, c.layout, 0).dense);
      if (ranks == 3) continue;  // three ranks pad the gather
      EXPECT_EQ(faults_of(c), "");
    }
  }
}

// Three ranks divide none of the model's sizes: closed forms leave out what is added to fit.
TEST(Schemes, PaddingIsLittle) {
  for (const ZeroRow& row : kZero) {
    ZeroOptions options;
    options.scheme = row.scheme;
    options.reuse_elements = options.persistent_elements = 0;
    Case c{std::string(row.name), layout_of(1, 1, 3, 1), step_of(2), with(options)};
    if (has_one_type(row.scheme)) {
      c.step.gradients = DataType::bfloat16;
    }
    const Plan plan = training_step("test", c.model, c.layout, c.step, c.scheme);
    EXPECT_EQ(check(plan), std::vector<std::string>{});
    for (const auto& [key, sum] : counted(plan, plan.classes[0])) {
      const Bytes exact = closed_form(c, 0).at(key).message_bytes;
      EXPECT_GE(sum.message_bytes, exact) << row.name << " " << key.second;
      EXPECT_LE(sum.message_bytes, exact + exact / 200) << row.name << " " << key.second;
    }
  }
}

TEST(Schemes, TensorParallel) {
  for (const bool sequence_parallel : {true, false}) {
    for (const auto implementation :
         {model::TensorParallel::megatron, model::TensorParallel::dtensor}) {
      for (const auto recompute :
           {model::Recompute::none, model::Recompute::selective, model::Recompute::full}) {
        for (const auto& layout :
             {layout_of(2, 1, 1, 1), layout_of(8, 1, 2, 1), layout_of(4, 2, 1, 2)}) {
          model::Step step = step_of(2, sequence_parallel);
          step.recompute = recompute;
          Scheme scheme;
          scheme.tensor = {implementation, sequence_parallel};
          EXPECT_EQ(faults_of({fmt::format("sp {} dtensor {} recompute {} tp {}", sequence_parallel,
                                           implementation == model::TensorParallel::dtensor,
                                           static_cast<int>(recompute), layout.tp),
                               layout, step, scheme}),
                    "");
        }
      }
    }
  }
}

TEST(Schemes, PipelineParallel) {
  for (const ScheduleRow& schedule : kSchedules) {
    for (const StageMessagesRow& messages : kStageMessages) {
      for (const int pp : {1, 2, 4, 8}) {
        for (const int micro_batches : {1, 2, 4, 8, 16}) {
          const bool interleaved = schedule.schedule == Schedule::interleaved;
          if (interleaved && (pp == 1 || micro_batches % pp != 0)) continue;
          for (const int vpp : {1, 2, 4}) {
            if (vpp > 1 && (!interleaved || pp * vpp > 8)) continue;
            Scheme scheme;
            scheme.pipeline = {schedule.schedule, messages.messages};
            EXPECT_EQ(
                faults_of(Case{fmt::format("{} {} pp {} M {} V {}", schedule.name, messages.name,
                                           pp, micro_batches, vpp),
                               layout_of(1, 1, 2, pp, 1, vpp), step_of(micro_batches), scheme}),
                "");
          }
        }
      }
    }
  }
}

// PyTorch's pipelines gather once and reduce after the last micro-batch, which no closed form has.
TEST(Schemes, Fsdp2InAPipeline) {
  for (const bool reshard : {true, false}) {
    ZeroOptions options;
    options.reshard = reshard;
    Scheme scheme = with(options);
    const Plan plan = training_step("x", small_model(), layout_of(1, 1, 4, 4), step_of(8), scheme);
    EXPECT_EQ(check(plan), std::vector<std::string>{});
    for (const Total& total : totals(plan, plan.classes[1])) {
      if (total.axis != model::Axis::dp_shard_cp) continue;
      // Two layers: each gathered once, unless it is freed after every forward pass.
      if (total.collective == Collective::all_gather && reshard) {
        EXPECT_GT(total.messages, 2u * 8);
      } else {
        EXPECT_EQ(total.messages, 2u);
      }
    }
  }
}

TEST(Schemes, AllTogether) {
  for (const Zero zero : {Zero::megatron, Zero::deepspeed1}) {
    Case c{"all", layout_of(2, 2, 4, 4, 2, 2), step_of(8), with(ZeroOptions{zero})};
    c.scheme.pipeline = {Schedule::interleaved, StageMessages::pairs};
    if (zero == Zero::deepspeed1) c.step.gradients = DataType::bfloat16;
    EXPECT_EQ(faults_of(c), "");
    c.model.tied_embeddings = true;
    EXPECT_EQ(faults_of(c), "");
  }
}

}  // namespace
}  // namespace collbench::plan
