// SPDX-License-Identifier: Apache-2.0
#include "report/facts.h"

#include <gtest/gtest.h>

#include "results/example_steps.h"

namespace collbench::report {
namespace {

using Texts = std::vector<std::string>;

TEST(Facts, LabelsNameWhatDiffers) {
  const std::vector<Facts> things = {{"all_reduce", "2 ranks", "base"},
                                     {"all_reduce", "4 ranks", "base"}};
  EXPECT_EQ(labels(things), (Texts{"2 ranks", "4 ranks"}));
  EXPECT_EQ(labels(things, 1), (Texts{"all_reduce, 2 ranks", "all_reduce, 4 ranks"}));
  EXPECT_EQ(shared(things), "all_reduce, base");
  EXPECT_EQ(shared(things, 1), "base");
}

TEST(Facts, AloneAThingHasItsLastFact) {
  const std::vector<Facts> things = {{"all_reduce", "base", ""}};
  EXPECT_EQ(labels(things), Texts{"base"});
  EXPECT_EQ(labels({}), Texts{});
}

TEST(Facts, AFactThatOnlyOneHasTellsThemApart) {
  const std::vector<Facts> things = {{"a", ""}, {"a", "2 fused"}};
  EXPECT_EQ(labels(things), (Texts{"a", "2 fused"}));
}

TEST(Facts, EveryFieldOfAKeyIsOne) {
  RowKey key = example::by_matrix().key;
  key.group = GroupKey{.rule = "MOD 2", .index = 1, .count = 2};
  key.root = 3;
  const Facts sweep = sweep_facts(key);
  EXPECT_EQ(sweep, (Facts{"alltoallv", "float", "", "root 3", "matrix zipf:1.2 seed 7", "mpi",
                          "isolated", "rank0 over ranks", "2 ranks per process", "4 fused",
                          "offset by 1 element", "groups by MOD 2"}));
  EXPECT_EQ(line_facts(key), (Facts{"2 ranks", "2 hosts", "group 1", "out of place"}));
}

TEST(Facts, OfAStepOnlyAPartIsNamed) {
  const Facts whole = step_facts(example::step().key);
  EXPECT_EQ(whole, (Facts{"zero", "llama3-8b", "4 ranks", "tp 2 cp 1 pp 1 dp 2",
                          "schedule 1f1b, zero fsdp2", "2 hosts", "mpi", "compute gemm",
                          "4 x 1 x 8192 tokens", "", ""}));
  const Facts part = step_facts(example::small_step().key);
  EXPECT_EQ(part[9], "2 layers of the model");
  EXPECT_EQ(part[10], "divided by 16");
}

}  // namespace
}  // namespace collbench::report
