// SPDX-License-Identifier: Apache-2.0
// Every scheme over a spread of layouts: the plan is sound, and sends exactly what the closed forms
// of src/model say, which never see an operation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "model/closed_forms.h"
#include "plan/checker.h"
#include "plan/predict.h"
#include "plan/totals.h"
#include "plan/training_step.h"

namespace collbench::plan {
namespace {

/// Sizes that divide by all degrees below, so that no shard is padded.
model::Model small_model() {
  model::Model model;
  model.name = "small";
  model.layers = 8;
  model.hidden = 1024;
  model.ffn = 4096;
  model.heads = 16;
  model.kv_heads = 8;
  model.head_dim = 64;
  model.vocabulary = 16384;
  model.sequence = 512;
  return model;
}

struct Case {
  std::string name;
  model::Layout layout;
  model::Step step;
  Scheme scheme;
  model::Model model = small_model();
};

model::Layout layout_of(int tp, int cp, int dp, int pp, int replicas = 1, int vpp = 1) {
  model::Layout layout;
  layout.tp = tp;
  layout.cp = cp;
  layout.dp = dp;
  layout.pp = pp;
  layout.replicas = replicas;
  layout.vpp = vpp;
  return layout;
}

model::Step step_of(int micro_batches, bool sequence_parallel = true) {
  model::Step step;
  step.micro_batches = micro_batches;
  step.micro_batch = 2;
  step.sequence = 512;
  step.sequence_parallel = sequence_parallel;
  return step;
}

model::Volumes parameter_volumes(const Case& c, int pp) {
  const auto& [name, layout, step, scheme, model] = c;
  const auto* options = std::get_if<ZeroOptions>(&scheme.parameters);
  if (options == nullptr) return ddp(model, layout, step, pp);
  switch (options->scheme) {
    case Zero::deepspeed1:
      return deepspeed_zero1(model, layout, step, pp);
    case Zero::deepspeed2:
      return deepspeed_zero2(model, layout, step, pp);
    case Zero::deepspeed3:
      return deepspeed_zero3(model, layout, step, pp);
    case Zero::megatron:
      return megatron_distributed_optimizer(model, layout, step, pp);
    case Zero::fsdp2:
      return fsdp2(model, layout, step, pp, options->reshard);
    case Zero::zeropp:
      break;
  }
  return zeropp(model, layout, step, pp);
}

struct Sum {
  Bytes message_bytes = 0;
  Count operations = 0;
  bool counted = true;  // operations are known
};
using Sums = std::map<std::pair<std::string, std::string>, Sum>;  // by axis and operation

Sums closed_form(const Case& c, int pp) {
  const auto& [name, layout, step, scheme, model] = c;
  Sums sums;
  for (const model::Volumes& volumes :
       {parameter_volumes(c, pp),
        tensor_parallel_layers(model, layout, step, pp, scheme.tensor.implementation),
        vocabulary_parallel(model, layout, step, pp),
        vocabulary_parallel_loss(model, layout, step, pp, scheme.tensor.fused_loss),
        sequence_parallel_gradients(model, layout, step, pp),
        tied_embedding(model, layout, step, pp), pipeline(model, layout, step, pp)}) {
    for (const model::Volume& volume : volumes) {
      if (volume.message_bytes == 0) continue;
      Sum& sum = sums[{std::string(name_of(volume.axis)),
                       std::string(traffic::row_of(volume.collective).name)}];
      sum.message_bytes += volume.message_bytes;
      sum.operations += volume.operations;
      sum.counted = sum.counted && volume.operations > 0;
    }
  }
  return sums;
}

/// The closed form is of Megatron's head, which gathers its input again in the backward pass.
void keep_gathered_input_of_head(Sums& sums, const Case& c, int pp) {
  const bool keeps = c.scheme.tensor.implementation == model::TensorParallel::dtensor &&
                     c.step.sequence_parallel && pp == c.layout.pp - 1;
  if (!keeps) return;
  const Bytes x = c.step.sequence / static_cast<Count>(c.layout.cp) * c.step.micro_batch *
                  c.model.hidden * size_of(c.step.activations);
  Sum& gathers = sums.at({"tp", "all_gather"});
  gathers.message_bytes -= static_cast<Count>(c.step.micro_batches) * x;
  gathers.operations -= static_cast<Count>(c.step.micro_batches);
}

Sums counted(const Plan& plan, const RankClass& ranks) {
  Sums sums;
  for (const Total& total : totals(plan, ranks)) {
    if (total.kind == MessageKind::recv) continue;
    const std::string name =
        total.kind == MessageKind::send ? "sendrecv" : std::string(total.name());
    sums[{std::string(name_of(total.axis)), name}] = {total.message_bytes, total.messages, true};
  }
  return sums;
}

std::string describe(const Sums& sums, const Sums& like) {
  std::string text;
  for (const auto& [key, sum] : sums) {
    const auto found = like.find(key);
    const bool counts = sum.counted && (found == like.end() || found->second.counted);
    text += fmt::format("{} {} {} B", key.first, key.second, sum.message_bytes);
    text += counts ? fmt::format(" in {}\n", sum.operations) : "\n";
  }
  return text;
}

void expect_sound_and_exact(const Case& c) {
  SCOPED_TRACE(c.name);
  const Plan plan = training_step("test", c.model, c.layout, c.step, c.scheme);
  const std::vector<std::string> faults = check(plan);
  for (std::size_t i = 0; i < faults.size() && i < 3; ++i) ADD_FAILURE() << faults[i];
  for (const RankClass& ranks : plan.classes) {
    Sums expected = closed_form(c, ranks.positions[0]);
    keep_gathered_input_of_head(expected, c, ranks.positions[0]);
    const Sums found = counted(plan, ranks);
    EXPECT_EQ(describe(found, expected), describe(expected, expected)) << name_of(plan, ranks);
  }
}

Scheme with(DataParallelOptions options) { return {options, {}, {}}; }
Scheme with(ZeroOptions options) { return {options, {}, {}}; }

TEST(Schemes, DataParallel) {
  for (const DataParallelRow& row : kDataParallel) {
    for (const bool overlap : {true, false}) {
      for (const auto& layout : {layout_of(1, 1, 2, 1), layout_of(1, 1, 5, 1),
                                 layout_of(2, 2, 4, 1), layout_of(1, 1, 1, 1)}) {
        expect_sound_and_exact(
            {fmt::format("{} overlap {} of {} ranks", row.name, overlap, ranks(layout)), layout,
             step_of(3), with(DataParallelOptions{row.scheme, 1 << 22, overlap})});
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
          if (row.scheme != Zero::megatron && row.scheme != Zero::fsdp2) {
            step.gradients = DataType::bfloat16;  // DeepSpeed's closed forms have one type
          }
          expect_sound_and_exact(
              {fmt::format("{} overlap {} reshard {} of {} ranks, {} replicas", row.name, overlap,
                           reshard, ranks(layout), layout.replicas),
               layout, step, with(options)});
        }
      }
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
    if (row.scheme != Zero::megatron && row.scheme != Zero::fsdp2) {
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
          expect_sound_and_exact(
              {fmt::format("sp {} dtensor {} recompute {} tp {}", sequence_parallel,
                           implementation == model::TensorParallel::dtensor,
                           static_cast<int>(recompute), layout.tp),
               layout, step, scheme});
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
            expect_sound_and_exact({fmt::format("{} {} pp {} M {} V {}", schedule.name,
                                                messages.name, pp, micro_batches, vpp),
                                    layout_of(1, 1, 2, pp, 1, vpp), step_of(micro_batches),
                                    scheme});
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
    expect_sound_and_exact(c);
    c.model.tied_embeddings = true;
    expect_sound_and_exact(c);
  }
}

}  // namespace
}  // namespace collbench::plan
