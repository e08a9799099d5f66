// SPDX-License-Identifier: Apache-2.0
// What a training step refuses.
#include "plan/training_step.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "model/presets.h"

namespace collbench::plan {
namespace {

struct Case {
  model::Layout layout;
  int micro_batches = 1;
  Scheme scheme;
  std::string model = "llama3-8b";
};

std::string complaint(const Case& c) {
  model::Step step;
  step.sequence = 8192;
  step.micro_batches = c.micro_batches;
  try {
    training_step("x", model::preset(c.model), c.layout, step, c.scheme);
    return "none";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(TrainingStep, StagesThatReduceAfterEveryMicroBatchHaveNoPipeline) {
  Scheme zero2;
  zero2.parameters = ZeroOptions{.scheme = Zero::deepspeed2};
  EXPECT_EQ(complaint({{.dp = 2, .pp = 2}, 2, zero2}),
            "deepspeed2 reduces after every micro-batch and does not work in a pipeline; set pp to "
            "1 or choose another scheme");
}

TEST(TrainingStep, TheInterleavedScheduleWorksOnGroups) {
  Scheme interleaved;
  interleaved.pipeline.schedule = Schedule::interleaved;
  EXPECT_EQ(complaint({{.pp = 4}, 6, interleaved}),
            "interleaved: it works on groups of pp micro-batches, so their number must be a "
            "multiple of pp and pp above 1; there are 6 micro-batches and pp is 4");
  EXPECT_EQ(complaint({{.pp = 4, .vpp = 2}, 8, {}}),
            "vpp 2: only the interleaved schedule has several stages per rank; choose it or set "
            "vpp to 1");
}

TEST(TrainingStep, ASplitBackwardPassNeedsItsParameters) {
  Scheme scheme;
  scheme.parameters = ZeroOptions{};
  scheme.pipeline.schedule = Schedule::zb_h1;
  EXPECT_EQ(complaint({{.dp = 2, .pp = 2}, 4, scheme}),
            "zb-h1 computes gradients of weights after the backward pass, when fsdp2 has freed the "
            "parameters; keep them with --no-reshard or choose another schedule");
}

TEST(TrainingStep, GroupsToReshardInAreReplicas) {
  Scheme scheme;
  scheme.parameters = ZeroOptions{.reshard_in_groups = true};
  EXPECT_EQ(complaint({{.dp = 4}, 1, scheme}),
            "parameters are resharded in groups where there are several replicas and resharding is "
            "on; give --replicas and leave out --no-reshard");
}

TEST(TrainingStep, HasRoomForSoManyMicroBatches) {
  EXPECT_EQ(
      complaint({{.dp = 2}, 7000, {}}),
      "7000 micro-batches through 32 layers are more than a plan has room for; choose at most "
      "6250, since what each micro-batch adds does not change");
  // 8 lists of a ring, each with five times the operations.
  EXPECT_EQ(complaint({{.cp = 8}, 157, {}}),
            "157 micro-batches through 32 layers are more than a plan has room for; choose at most "
            "156, since what each micro-batch adds does not change");
  EXPECT_EQ(complaint({{.cp = 128}, 1, {}}),
            "32 layers on 128 ranks that share a sequence, each with hops and work of its own, are "
            "more than a plan has room for; choose another kind of context parallelism, or a "
            "smaller cp or fewer layers");
}

TEST(TrainingStep, DividedLatentAttentionIsThatOfMegatron) {
  const model::Model model = model::preset("tiny-mla");
  Scheme dtensor;
  dtensor.tensor.implementation = model::TensorParallel::dtensor;
  const model::Step step{.sequence = 128};
  EXPECT_NO_THROW(training_step("x", model, {.tp = 2}, step, {}));
  EXPECT_NO_THROW(training_step("x", model, {.dp = 2}, step, dtensor));
  EXPECT_THROW(training_step("x", model, {.tp = 2}, step, dtensor), UserError);
}

}  // namespace
}  // namespace collbench::plan
