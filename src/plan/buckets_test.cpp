// SPDX-License-Identifier: Apache-2.0
#include "plan/buckets.h"

#include <gtest/gtest.h>

#include "model/presets.h"
#include "plan/data_parallel.h"
#include "plan/training_step.h"

namespace collbench::plan {
namespace {

/// Tensors of these sizes, in the order of the forward pass.
Held held_of(const std::vector<Count>& sizes) {
  Held held;
  for (const Count size : sizes) held.tensors.push_back({.name = "t", .rows = size});
  return held;
}

std::vector<Count> sizes_of(const std::vector<Bucket>& buckets) {
  std::vector<Count> sizes;
  for (const Bucket& bucket : buckets) sizes.push_back(bucket.elements);
  return sizes;
}

std::vector<Count> filled(const std::vector<Count>& sizes, const BucketRule& rule) {
  return sizes_of(fill_buckets(held_of(sizes), {0, sizes.size()}, rule));
}

using Sizes = std::vector<Count>;

// PyTorch: a bucket closes once it has reached its limit, and may exceed it by a tensor.
TEST(Buckets, CloseWhenFullFromTheLastTensorOn) {
  EXPECT_EQ(filled({5, 30, 7, 4, 6}, {.close_at = 10}), (Sizes{10, 37, 5}));
  EXPECT_EQ(filled({5, 30, 7, 4, 6}, {.close_at = 20, .first_close_at = 5}), (Sizes{6, 41, 5}));
  EXPECT_EQ(filled({5, 30, 7}, {}), (Sizes{42}));
}

// DeepSpeed: a tensor that does not fit starts the next bucket; one that fits nowhere is alone.
TEST(Buckets, CloseBeforeTheyAreTooLarge) {
  EXPECT_EQ(filled({5, 30, 7, 4, 6}, {.most = 12}), (Sizes{10, 7, 30, 5}));
}

// Megatron: tensors start at multiples of 64, buckets end at multiples of lcm(ranks, 128).
TEST(Buckets, ArePadded) {
  EXPECT_EQ(filled({100, 10}, {.align_tensor = 64, .align_bucket = 384}), (Sizes{384}));  // 64+100
  EXPECT_EQ(filled({320, 10}, {.align_tensor = 64, .align_bucket = 384}), (Sizes{384}));
  EXPECT_EQ(filled({321, 10}, {.align_tensor = 64, .align_bucket = 384}), (Sizes{768}));
}

TEST(Buckets, CoverEveryTensorOnce) {
  const auto buckets = fill_buckets(held_of({5, 30, 7, 4, 6}), {0, 5}, {.close_at = 10});
  std::size_t end = 5;
  for (const Bucket& bucket : buckets) {
    EXPECT_EQ(bucket.tensors.last, end);
    end = bucket.tensors.first;
  }
  EXPECT_EQ(end, 0u);
}

// PyTorch: 1 MiB and then 25 MiB, or the user's size for all.
TEST(Buckets, OfDdp) {
  const auto buckets = [&](std::optional<Bytes> bytes) {
    model::Layout layout;
    layout.dp = 2;
    Scheme scheme;
    scheme.parameters = DataParallelOptions{DataParallel::ddp, bytes};
    const Plan plan =
        training_step("x", model::preset("llama3-8b"), layout, {.sequence = 8192}, scheme);
    std::vector<Bytes> sizes;
    for (const Op& op : plan.classes[0].ops) {
      for (const Message& message : op.messages) sizes.push_back(message_bytes(message, 2));
    }
    return sizes;
  };
  const Bytes head = Bytes{128256} * 4096 * 4, down = Bytes{4096} * 14336 * 4,
              limit = Bytes{3} << 30;
  EXPECT_EQ(buckets(std::nullopt).front(), head);  // the last tensor, alone above 1 MiB
  EXPECT_GE(buckets(limit).front(), limit);
  EXPECT_LT(buckets(limit).front(), limit + down);
}

// 40 million elements, or one million for each of more than 40 ranks; only on the first stage.
TEST(Buckets, OfMegatron) {
  const model::Model model = model::preset("llama3-8b");
  const auto largest = [&](int dp, int pp_of_rank, bool overlap) {
    model::Layout layout;
    layout.dp = dp;
    layout.pp = 2;
    const model::Step step{.sequence = 8192};
    Plan plan = make_plan("x", layout, step, {model::Axis::pp});
    Builder builder(plan, plan.classes[static_cast<std::size_t>(pp_of_rank)]);
    const Held held = hold(model, layout, pp_of_rank);
    const TrafficContext context = {builder, held, layout, step, pp_of_rank};
    return megatron_buckets(context, 0, overlap, false).front().elements;
  };
  const Count down = 4096 * 14336, up = down;
  EXPECT_EQ(largest(8, 0, true), down);
  EXPECT_EQ(largest(64, 0, true), down + up);
  EXPECT_EQ(largest(8, 0, false), model::rank_parameters(model, {.pp = 2}, 0).total());
  EXPECT_EQ(largest(8, 1, true), model::rank_parameters(model, {.pp = 2}, 1).total());
}

}  // namespace
}  // namespace collbench::plan
