// SPDX-License-Identifier: Apache-2.0
// Data parallelism against numbers that follow from published formulas by hand.
#include "model/closed_forms.h"

#include <gtest/gtest.h>

#include "model/parameters.h"
#include "model/presets.h"

namespace collbench::model {
namespace {

double GB(const Volumes& volumes, const Layout& layout) {
  return sent_bytes(volumes, layout) / 1e9;
}

class Llama8bOn8 : public testing::Test {
 protected:
  const Model model_ = preset("llama3-8b");
  const Layout layout_ = {.dp = 8};
  const Step float_gradients_ = {.sequence = 8192};
  const Step bfloat_gradients_ = {.sequence = 8192, .gradients = DataType::bfloat16};
};

TEST_F(Llama8bOn8, SendsWhatTheFormulasSayForOneStep) {
  // 2(n-1)/n * Psi * bytes, Psi = 8.03e9.
  EXPECT_NEAR(GB(ddp(model_, layout_, bfloat_gradients_, 0), layout_), 28.1, 0.05);
  EXPECT_NEAR(GB(ddp(model_, layout_, float_gradients_, 0), layout_), 56.2, 0.05);
  // (n-1)/n * Psi * (4 + 2): a quarter less than the all-reduce in float.
  EXPECT_NEAR(GB(megatron_distributed_optimizer(model_, layout_, float_gradients_, 0), layout_),
              42.2, 0.05);
  // An all-reduce and an all-gather of 2 bytes: half more than DDP in bfloat16.
  EXPECT_NEAR(GB(deepspeed_zero1(model_, layout_, float_gradients_, 0), layout_), 42.2, 0.05);
  EXPECT_NEAR(GB(deepspeed_zero2(model_, layout_, float_gradients_, 0), layout_), 42.2, 0.05);
  EXPECT_NEAR(GB(deepspeed_zero3(model_, layout_, float_gradients_, 0), layout_), 42.2, 0.05);
  EXPECT_NEAR(GB(fsdp2(model_, layout_, float_gradients_, 0, false), layout_), 42.2, 0.05);
}

TEST_F(Llama8bOn8, DoesNotGatherTheRootTwice) {
  // The rule (2 * 2 + 4) * Psi would give 56.2; embedding, head and last norm are gathered once.
  const double root = (2 * 128256 * 4096.0 + 4096) * 2 * 7 / 8 / 1e9;
  EXPECT_NEAR(GB(fsdp2(model_, layout_, float_gradients_, 0), layout_), 56.21 - root, 0.01);
}

TEST_F(Llama8bOn8, CountsTheGroupsOfFsdp2) {
  const Volumes volumes = fsdp2(model_, layout_, float_gradients_, 0);
  ASSERT_EQ(volumes.size(), 2U);
  EXPECT_EQ(volumes[0].collective, Collective::all_gather);
  EXPECT_EQ(volumes[0].operations, 2U * 32 + 1);
  EXPECT_EQ(volumes[1].collective, Collective::reduce_scatter);
  EXPECT_EQ(volumes[1].operations, 32U + 1);
}

TEST_F(Llama8bOn8, MultipliesByMicroBatchesWhereFrameworksDo) {
  Step four = float_gradients_;
  four.micro_batches = 4;
  const auto ratio = [&](auto scheme) {
    return GB(scheme(model_, layout_, four, 0), layout_) /
           GB(scheme(model_, layout_, float_gradients_, 0), layout_);
  };
  EXPECT_DOUBLE_EQ(ratio(ddp), 1);
  EXPECT_DOUBLE_EQ(ratio(megatron_distributed_optimizer), 1);
  EXPECT_DOUBLE_EQ(ratio(deepspeed_zero1), 1);
  EXPECT_DOUBLE_EQ(ratio(deepspeed_zero2), 3);  // (2 * 4 + 1) / (2 + 1)
  EXPECT_DOUBLE_EQ(ratio(deepspeed_zero3), 4);
}

TEST(DataParallel, KeepsReplicasOutOfTheGathers) {
  // 2 * (M/F) * (R-1)/R between replicas: here M = Psi * 4 bytes, F = 4, R = 2.
  const Model model = preset("llama3-8b");
  const Layout layout{.dp = 8, .replicas = 2};
  const Volumes volumes = fsdp2(model, layout, {.sequence = 8192}, 0);
  ASSERT_EQ(volumes.size(), 3U);
  EXPECT_EQ(volumes[0].axis, Axis::dp_shard_cp);
  EXPECT_EQ(volumes[2].axis, Axis::dp_replicate);
  EXPECT_EQ(volumes[2].operations, 33U);
  const double between = 2 * (8'030'261'248.0 * 4 / 4) * 1 / 2;
  EXPECT_DOUBLE_EQ(sent_bytes(volumes[2], layout), between);
}

TEST(DataParallel, ReducesExpertsAmongThoseThatHoldThem) {
  const Model model = preset("mixtral-8x7b");
  const Layout layout{.ep = 4, .dp = 8};
  const Volumes volumes = ddp(model, layout, {.sequence = 4096}, 0);
  const ParameterCount held = rank_parameters(model, layout, 0);
  ASSERT_EQ(volumes.size(), 2U);
  EXPECT_EQ(volumes[0], (Volume{Collective::all_reduce, Axis::dp_cp, 0, held.dense * 4}));
  EXPECT_EQ(volumes[1], (Volume{Collective::all_reduce, Axis::edp, 0, held.expert * 4}));
}

TEST(DataParallel, ReducesExpertsWithTheRestWhereTheSameRanksHoldThem) {
  const Model model = preset("mixtral-8x7b");
  const Volumes volumes = ddp(model, {.dp = 8}, {.sequence = 4096}, 0);
  EXPECT_EQ(volumes, (Volumes{{Collective::all_reduce, Axis::dp_cp, 0, 46'702'792'704ULL * 4}}));
}

TEST(DataParallel, ShrinksTrafficBetweenNodesFourfoldInZeropp) {
  // arXiv 2306.10209: 3M between nodes becomes 0.75M, M the bytes of the parameters.
  const Model model = preset("llama3-8b");
  const Layout layout{.dp = 16, .replicas = 2};
  const double M = 2 * 8'030'261'248.0;
  double between_nodes = 0;
  for (const Volume& volume : zeropp(model, layout, {.sequence = 8192}, 0)) {
    // Of a gather over all ranks, the whole of it crosses nodes for the node's ranks together.
    if (volume.axis == Axis::dp_cp) between_nodes += static_cast<double>(volume.message_bytes);
    if (volume.axis == Axis::dp_replicate) {
      between_nodes += static_cast<double>(volume.message_bytes) * 8;
    }
  }
  EXPECT_NEAR(between_nodes, 0.75 * M, 1e-6 * M);
}

TEST(DataParallel, SumsTheTiedEmbeddingOfFirstAndLastStage) {
  const Model model = preset("gpt3-175b-megatron");
  const Layout layout{.tp = 8, .pp = 4};
  const Volumes first = tied_embedding(model, layout, {.sequence = 2048}, 0);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].message_bytes, 51200U / 8 * 12288 * 4);
  EXPECT_EQ(tied_embedding(model, layout, {.sequence = 2048}, 3), first);
  EXPECT_TRUE(tied_embedding(model, layout, {.sequence = 2048}, 1).empty());
  EXPECT_TRUE(tied_embedding(preset("llama3-8b"), layout, {.sequence = 2048}, 0).empty());
}

}  // namespace
}  // namespace collbench::model
