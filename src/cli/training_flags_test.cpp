// SPDX-License-Identifier: Apache-2.0
#include "cli/training_flags.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench {
namespace {

using Words = std::vector<std::string>;

TrainingFlags parsed(const Words& arguments) {
  TrainingFlags flags;
  CommandLine line("program", "text");
  flags.declare(line);
  EXPECT_FALSE(line.parse(arguments));
  return flags;
}

model::Layout layout(const Words& arguments, std::optional<int> ranks = {}) {
  return parsed(arguments).layout(ranks);
}

model::Step step(Words arguments) {
  const TrainingFlags flags = parsed(arguments);
  return flags.step(flags.model(), flags.layout({}));
}

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(TrainingFlags, FillALayout) {
  const model::Layout l =
      layout({"--tp",    "2",      "--cp",           "3",      "--pp", "5", "--vpp", "2",
              "--dp",    "8",      "--replicas",     "2",      "--ep", "4", "--etp", "1",
              "--order", "llama3", "--stage-layers", "1,3*2,0"});
  EXPECT_EQ(l.tp, 2);
  EXPECT_EQ(l.cp, 3);
  EXPECT_EQ(l.pp, 5);
  EXPECT_EQ(l.vpp, 2);
  EXPECT_EQ(l.dp, 8);
  EXPECT_EQ(l.replicas, 2);
  EXPECT_EQ(l.ep, 4);
  EXPECT_EQ(l.etp, 1);
  EXPECT_EQ(model::format(l.order), "tp-cp-ep-pp-dp");
  EXPECT_EQ(l.stage_layers, (std::vector<int>{1, 2, 2, 2, 0}));
}

TEST(TrainingFlags, LeaveDpWhatTheOthersDoNotTake) {
  EXPECT_EQ(layout({"--tp", "2", "--pp", "2"}, 16).dp, 4);
  EXPECT_EQ(layout({"--tp", "2"}).dp, 1);
  EXPECT_EQ(layout({"--tp", "2", "--dp", "8"}, 16).dp, 8);
  EXPECT_EQ(error_of([] {
              layout({"--tp", "3"}, 16);
            }),
            "impossible layout: tp * cp * pp = 3 * 1 * 1 does not divide the 16 ranks; change one "
            "of them, or the number of ranks");
  EXPECT_THROW(layout({"--tp", "2", "--dp", "4"}, 16), UserError);
}

TEST(TrainingFlags, FillAStep) {
  const model::Step s =
      step({"--model", "tiny", "--micro-batch", "2", "--micro-batches", "3", "--sequence", "64",
            "--recompute", "full", "--gradient-type", "bfloat16", "--no-sequence-parallel"});
  EXPECT_EQ(s.micro_batch, 2U);
  EXPECT_EQ(s.micro_batches, 3);
  EXPECT_EQ(s.sequence, 64U);
  EXPECT_EQ(s.recompute, model::Recompute::full);
  EXPECT_EQ(s.gradients, DataType::bfloat16);
  EXPECT_FALSE(s.sequence_parallel);
}

TEST(TrainingFlags, TakeFromTheModelWhatIsLeftOut) {
  const model::Step s = step({"--model", "llama3-8b", "--dp", "4", "--global-batch", "32"});
  EXPECT_EQ(s.sequence, 8192U);
  EXPECT_EQ(s.micro_batches, 8);
  EXPECT_TRUE(s.sequence_parallel);
}

TEST(TrainingFlags, KnowWhetherAnythingIsSaid) {
  EXPECT_FALSE(parsed({}).names_model());
  EXPECT_FALSE(parsed({"--model", "tiny"}).says_how());
  EXPECT_TRUE(parsed({"--model", "tiny"}).names_model());
  EXPECT_TRUE(parsed({"--sequence", "1"}).says_how());
  EXPECT_TRUE(parsed({"--no-sequence-parallel"}).says_how());
}

TEST(TrainingFlags, RefuseWhatCannotBeMeant) {
  EXPECT_EQ(error_of([] { parsed({}).model(); }),
            "a model is missing; give --model or --model-file; collbench models lists them");
  EXPECT_EQ(error_of([] {
              parsed({"--model", "tiny", "--model-file", "x"}).model();
            }),
            "--model and --model-file exclude each other; give one");
  EXPECT_EQ(error_of([] {
              layout({"--tp", "0"});
            }),
            "--tp: '0' is not a whole number of at least 1");
  EXPECT_EQ(error_of([] {
              layout({"--tp", "99999999"});
            }),
            "--tp: 99999999 is more than 16777216, the most there may be");
  for (const char* text : {"", ",", "1,", "2*", "*2", "1*1*1", "x", "99999*1", "-1"}) {
    EXPECT_THROW(layout({"--stage-layers=" + std::string(text)}), UserError) << text;
  }
  EXPECT_EQ(error_of([] {
              step({"--model", "tiny", "--recompute", "some"});
            }),
            "--recompute: 'some' is no kind of recomputation; choose from none, selective, full");
  EXPECT_EQ(error_of([] {
              step({"--model", "tiny", "--micro-batches", "2", "--global-batch", "2"});
            }),
            "--micro-batches and --global-batch exclude each other; give one");
  EXPECT_THROW(step({"--model", "tiny", "--gradient-type", "int8"}), UserError);
}

}  // namespace
}  // namespace collbench
