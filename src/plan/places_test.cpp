// SPDX-License-Identifier: Apache-2.0
// Where in slots messages lie: what the checker says of it, and what the builders mean.
#include <gtest/gtest.h>

#include "plan/exact_schemes.h"
#include "plan/example_plans.h"

namespace collbench::plan {
namespace {

using Faults = std::vector<std::string>;

constexpr model::Axis kDp = model::Axis::dp;

// Four ranks, a slot of 40 floats. `add` appends operations that wait for nobody.
struct Example {
  Plan plan = make_plan("x", layout_of(1, 1, 4, 1), step_of(1), {model::Axis::pp});
  RankClass& ranks = plan.classes[0];

  Example() { ranks.slots = {{"x", 160}, {"y", 160}}; }

  void add(const std::string& stream, std::vector<Message> messages) {
    Op op;
    op.kind = OpKind::communicate;
    op.stream = stream_named(plan, stream);
    op.messages = std::move(messages);
    op.label = stream;
    ranks.ops.push_back(op);
  }
  Faults faults() const {
    return find_malformed(plan).empty() ? find_races(plan) : find_malformed(plan);
  }
};

Message reduce(Count count, Count first) {
  Message message = collective(Collective::all_reduce, kDp, DataType::float32, count, 0, 0);
  message.read_first = message.written_first = first;
  return message;
}

TEST(Places, RangesFollowFromTheCollective) {
  const Plan plan = make_plan("x", layout_of(1, 1, 4, 1, 2), {}, {});
  const RankClass& ranks = plan.classes.front();
  Message gather = collective(Collective::all_gather, kDp, DataType::half, 10, 0, 1);
  gather.read_first = 3;
  EXPECT_EQ(range_read(plan, ranks, gather), (ByteRange{6, 26}));
  EXPECT_EQ(range_written(plan, ranks, gather), (ByteRange{0, 80}));
  EXPECT_FALSE(is_in_place(gather));
  gather.written = 0;
  EXPECT_FALSE(is_in_place(gather));  // another place of the slot
  gather.written_first = 3;
  EXPECT_TRUE(is_in_place(gather));
  EXPECT_EQ(range_read(plan, ranks, gather), (ByteRange{6, 86}));  // one of the blocks
  Message own = reduce(10, 0);
  own.own_part_on = model::Axis::dp_shard_cp;  // two
  EXPECT_EQ(range_read(plan, ranks, own), (ByteRange{0, 80}));
  EXPECT_EQ(range_written(plan, ranks, send(kDp, 1, DataType::half, 10, 0)), ByteRange{});
  EXPECT_EQ(range_read(plan, ranks, send(kDp, 1, DataType::half, 10, 0)), (ByteRange{0, 20}));
}

TEST(Places, PartsOfASlotAreNoRace) {
  Example sound;
  sound.add("one", {reduce(20, 0)});
  sound.add("other", {reduce(20, 20)});
  EXPECT_EQ(sound.faults(), Faults{});
  Example racing;
  racing.add("one", {reduce(21, 0)});
  racing.add("other", {reduce(20, 20)});
  EXPECT_EQ(racing.faults().size(), 2u);  // reads, and writes
}

// What a part was not written over stays to be waited for.
TEST(Places, APartDoesNotHideTheRest) {
  Example example;
  example.add("one", {reduce(40, 0)});
  example.add("one", {reduce(20, 20)});
  example.add("other", {reduce(20, 0)});
  example.ranks.ops[2].after = {0};
  EXPECT_EQ(example.faults(), Faults{});
  example.ranks.ops[2].after = {};
  ASSERT_EQ(example.faults().size(), 2u);
  EXPECT_NE(example.faults()[0].find("without waiting for operation 0"), std::string::npos);
  example.ranks.ops[2].after = {0};
  example.ranks.ops[2].messages = {reduce(40, 0)};
  ASSERT_EQ(example.faults().size(), 2u);
  EXPECT_NE(example.faults()[0].find("without waiting for operation 1"), std::string::npos);
}

TEST(Places, MessagesOfAGroupMoveTogether) {
  Example example;
  example.add("one", {reduce(20, 0), reduce(20, 20)});
  EXPECT_EQ(example.faults(), Faults{});
  example.ranks.ops[0].messages[1].read_first = example.ranks.ops[0].messages[1].written_first = 19;
  ASSERT_FALSE(example.faults().empty());
  EXPECT_EQ(example.faults()[0],
            "rank 0 (all ranks), operation 0 [one] has two messages at one place of slot x");
}

TEST(Places, BeyondTheEndOfASlot) {
  Example example;
  example.add("one", {reduce(20, 21)});
  EXPECT_EQ(example.faults(), Faults{"rank 0 (all ranks), operation 0 [one] has a message that "
                                     "ends at byte 164 of slot x, which has 160"});
  example.ranks.ops[0].kind = OpKind::copy;
  example.ranks.ops[0].messages.clear();
  example.ranks.ops[0].reads = {0};
  example.ranks.ops[0].bytes = 161;
  EXPECT_EQ(example.faults(), Faults{"rank 0 (all ranks), operation 0 [one] copies 161 bytes, and "
                                     "slot x has 160"});
}

TEST(Places, MessagesWithoutBuffers) {
  Example example;
  example.add("one", {reduce(20, 0)});
  Message& message = example.ranks.ops[0].messages[0];
  message.written = kNoSlot;
  EXPECT_EQ(example.faults(), Faults{"rank 0 (all ranks), operation 0 [one] has a message without "
                                     "a slot to read or to write"});
  message.collective = Collective::reduce;  // not the root
  EXPECT_EQ(example.faults(), Faults{});
  message = collective(Collective::alltoall, kDp, DataType::float32, 10, 0, 0);
  EXPECT_EQ(example.faults(), Faults{"rank 0 (all ranks), operation 0 [one] has a message in "
                                     "place, and alltoall cannot be"});
}

// DeepSpeed's parts of a bucket lie one after the other and fill it, divided or not.
TEST(Places, OwnersHaveTheirPartsOfABucket) {
  ZeroOptions options{.scheme = Zero::deepspeed1, .reduce_to_owners = true};
  options.bucket_elements = 3000000;
  model::Step step = step_of(1);
  step.gradients = DataType::bfloat16;
  const Plan plan = training_step("x", small_model(), layout_of(1, 1, 7, 1), step, with(options));
  for (const Plan& any : {plan, shrunk(plan, 1000), shrunk(plan, 1000000)}) {
    std::map<SlotIndex, Bytes> end;
    std::size_t later = 0;
    for (const Op& op : any.classes[0].ops) {
      for (const Message& message : op.messages) {
        if (message.collective != Collective::reduce) continue;
        const ByteRange range = range_written(any, any.classes[0], message);
        EXPECT_GE(range.first, end[message.written]);
        EXPECT_LT(range.first, end[message.written] + 4);  // sizes that do not divide leave a gap
        later += range.first > 0 ? 1 : 0;
        end[message.written] = range.last;
      }
    }
    EXPECT_GT(later, 3u);
    EXPECT_EQ(check(any), Faults{});
  }
}

// Instances of Megatron's optimizer reduce the shard that the reduce-scatter left in its place.
TEST(Places, ReplicasReduceTheirOwnShard) {
  const Plan plan = training_step("x", small_model(), layout_of(1, 1, 8, 1, 2), step_of(1),
                                  with(ZeroOptions{Zero::megatron}));
  const Message* scattered = nullptr;
  std::size_t pairs = 0;
  for (const Op& op : plan.classes[0].ops) {
    for (const Message& message : op.messages) {
      if (message.collective == Collective::reduce_scatter) scattered = &message;
      if (message.collective != Collective::all_reduce) continue;
      ++pairs;
      ASSERT_NE(scattered, nullptr);
      EXPECT_EQ(message.read, scattered->written);
      EXPECT_EQ(message.own_part_on, model::Axis::dp_shard_cp);
      EXPECT_EQ(range_written(plan, plan.classes[0], message),
                range_read(plan, plan.classes[0], *scattered));
    }
  }
  EXPECT_GT(pairs, 0u);
}

}  // namespace
}  // namespace collbench::plan
