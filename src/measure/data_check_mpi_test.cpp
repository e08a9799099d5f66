// SPDX-License-Identifier: Apache-2.0
// The data check on the host backend: that right data passes, in and out of place and for every
// root, and that one wrong byte on one rank is found and named.
#include "measure/data_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "comm/mpi/host_test_rank.h"
#include "measure/faulty_communicator.h"
#include "measure/test_data.h"

namespace collbench {
namespace {

constexpr Count kCount = 700;

const Operation kReduce = {
    traffic::reduce,
    [](const Setting& s, const Buffers& b) {
      return CallGroups{{reduce(b, s.count, s.type, s.op, s.root)}};
    },
    [](const Setting& s) {
      return std::vector<ExpectedBlock>{
          {.source = s.rank == s.root ? Source::reduction_of_all : Source::untouched}};
    }};

const Operation kAllReduce = {
    traffic::all_reduce,
    [](const Setting& s, const Buffers& b) {
      return CallGroups{{all_reduce(b, s.count, s.type, s.op)}};
    },
    [](const Setting&) {
      return std::vector<ExpectedBlock>{{.source = Source::reduction_of_all}};
    }};

const Operation kGather = {
    traffic::gather,
    [](const Setting& s, const Buffers& b) {
      return CallGroups{{gather(b, s.count, s.type, s.root)}};
    },
    [](const Setting& s) {
      std::vector<ExpectedBlock> blocks;
      for (int r = 0; r < s.ranks; ++r) {
        blocks.push_back(
            {.source = s.rank == s.root ? Source::rank_data : Source::untouched, .rank = r});
      }
      return blocks;
    }};

class DataCheck : public ::testing::Test {
 protected:
  DataCheck() {
    setting_.count = kCount;
    setting_.rank = r_.rank;
    setting_.ranks = r_.size;
  }

  CheckOutcome check(const Operation& operation, const Buffers& buffers) {
    return check_operation({test_session().control_plane(), comm_, *r_.device, *r_.stream},
                           make_groups(std::nullopt, r_.size).ranks_of_group, operation, setting_,
                           buffers, ++seed_)
        .front();
  }
  float* send() { return send_.data(); }
  float* recv() { return recv_.data(); }
  Count total() const { return static_cast<Count>(r_.size) * kCount; }

  TestRank r_{{true, WaitPolicy::yield}};
  FaultyCommunicator comm_{*r_.comm};
  Setting setting_;
  std::vector<float> send_ = std::vector<float>(total());
  std::vector<float> recv_ = std::vector<float>(total());
  std::uint64_t seed_ = 0;
};

TEST_F(DataCheck, OperationsWithARootAreRightForEveryRootInAndOutOfPlace) {
  float* const own = recv() + static_cast<Count>(r_.rank) * kCount;
  for (setting_.root = 0; setting_.root < r_.size; ++setting_.root) {
    for (const Buffers& buffers : {Buffers{send(), recv()}, Buffers{recv(), recv()}}) {
      const CheckOutcome outcome = check(kReduce, buffers);
      EXPECT_EQ(outcome.wrong_elements, 0U) << outcome.first_wrong;
      EXPECT_EQ(outcome.checked_elements, total());
    }
    for (const Buffers& buffers : {Buffers{send(), recv()}, Buffers{own, recv()}}) {
      const CheckOutcome outcome = check(kGather, buffers);
      EXPECT_EQ(outcome.wrong_elements, 0U) << outcome.first_wrong;
      EXPECT_EQ(outcome.checked_elements, static_cast<Count>(r_.size) * total());
    }
  }
}

TEST_F(DataCheck, AWrongElementIsNamedWithItsRankAndByte) {
  const int culprit = r_.size - 1;
  setting_.root = culprit;
  if (r_.rank == culprit) comm_.fault = [&] { recv()[3] = -0.5F; };
  const CheckOutcome outcome = check(kReduce, {send(), recv()});
  EXPECT_EQ(outcome.wrong_elements, 1U);
  const std::string start = fmt::format("rank {}, byte 12 of the result: expected ", culprit);
  EXPECT_TRUE(outcome.first_wrong.starts_with(start)) << outcome.first_wrong;
  EXPECT_TRUE(outcome.first_wrong.ends_with(", found -0.5")) << outcome.first_wrong;
}

const Operation kNothing = {traffic::all_reduce,
                            [](const Setting&, const Buffers&) { return CallGroups(); },
                            [](const Setting&) { return std::vector<ExpectedBlock>(); }};

// The groups of even and odd ranks, one after the other the group with a fault.
TEST_F(DataCheck, AWrongElementInOneGroupIsThatGroupsAlone) {
  const Groups groups = make_groups(parse_group_rule("MOD 2", "--split"), r_.size);
  const int mine = groups.group_of_rank[static_cast<std::size_t>(r_.rank)];
  const auto comm = r_.comm->split(mine, r_.rank);
  FaultyCommunicator faulty(*comm);
  Setting setting = setting_;
  setting.rank = comm->rank();
  setting.ranks = comm->size();
  for (std::size_t wrong = 0; wrong < groups.ranks_of_group.size(); ++wrong) {
    const std::vector<int>& ranks = groups.ranks_of_group[wrong];
    faulty.fault = nullptr;
    if (r_.rank == ranks.back()) faulty.fault = [&] { recv()[3] = -0.5F; };
    const auto outcomes = check_operation(
        {test_session().control_plane(), faulty, *r_.device, *r_.stream}, groups.ranks_of_group,
        kAllReduce, setting, {send(), recv()}, ++seed_ * 2 + static_cast<std::uint64_t>(mine));
    ASSERT_EQ(outcomes.size(), groups.ranks_of_group.size());
    for (std::size_t group = 0; group < outcomes.size(); ++group) {
      EXPECT_EQ(outcomes[group].wrong_elements, group == wrong ? 1U : 0U);
      EXPECT_EQ(outcomes[group].checked_elements, groups.ranks_of_group[group].size() * kCount);
    }
    const std::string start = r_.size == 1 ? "rank 0, byte 12"
                                           : fmt::format("rank {} ({} of its group), byte 12",
                                                         ranks.back(), ranks.size() - 1);
    EXPECT_TRUE(outcomes[wrong].first_wrong.starts_with(start)) << outcomes[wrong].first_wrong;
  }
}

TEST_F(DataCheck, RanksOfNoGroupWaitForTheOthers) {
  const bool takes_part = r_.rank == 0;
  const auto comm = r_.comm->split(takes_part ? 0 : 1, 0);
  setting_.rank = 0;
  setting_.ranks = 1;
  if (!takes_part) setting_.count = 0;
  const auto outcomes =
      check_operation({test_session().control_plane(), *comm, *r_.device, *r_.stream}, {{0}},
                      takes_part ? kAllReduce : kNothing, setting_, {send(), recv()}, ++seed_);
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].checked_elements, kCount);
  EXPECT_EQ(outcomes[0].wrong_elements, 0U) << outcomes[0].first_wrong;
}

struct TypeAndOp {
  DataType type;
  ReduceOp op;
};

constexpr TypeAndOp kTypesAndOps[] = {
    {DataType::int8, ReduceOp::sum},     {DataType::uint8, ReduceOp::avg},
    {DataType::int64, ReduceOp::min},    {DataType::uint64, ReduceOp::prod},
    {DataType::half, ReduceOp::mulsum},  {DataType::float32, ReduceOp::prod},
    {DataType::float64, ReduceOp::max},  {DataType::bfloat16, ReduceOp::avg},
    {DataType::f8e4m3, ReduceOp::sum},   {DataType::f8e5m2, ReduceOp::mulsum},
    {DataType::int32, ReduceOp::mulsum}, {DataType::uint32, ReduceOp::max},
};

// The sentence for element `at` of the result on `rank`, with its least significant bit flipped.
std::string sentence(const TestDataKey& key, int rank, Count at) {
  const Bytes size = size_of(key.type);
  const Pattern data = reduced_data(key);
  std::array<std::byte, 8> value{};
  std::memcpy(value.data(), data.values.data() + value_index(at) * size, size);
  const std::string expected = show_value(key.type, value.data());
  value[0] ^= std::byte{1};
  return fmt::format("rank {}, byte {} of the result: expected {}, found {}", rank, at * size,
                     expected, show_value(key.type, value.data()));
}

TEST_F(DataCheck, OneWrongBitIsNamedForEveryTypeInAndOutOfPlace) {
  setting_.count = 300;  // of 8 bytes at most
  const int culprit = r_.size / 2;
  Count at = 0;
  for (const TypeAndOp& t : kTypesAndOps) {
    setting_.type = t.type;
    setting_.op = t.op;
    at = (at + 97) % setting_.count;
    if (r_.rank == culprit) {
      comm_.fault = [&] {
        reinterpret_cast<std::byte*>(recv())[at * size_of(t.type)] ^= std::byte{1};
      };
    }
    for (const Buffers& buffers : {Buffers{send(), recv()}, Buffers{recv(), recv()}}) {
      const CheckOutcome outcome = check(kAllReduce, buffers);
      EXPECT_EQ(outcome.first_wrong, sentence({t.type, t.op, r_.size, seed_}, culprit, at));
      EXPECT_EQ(outcome.wrong_elements, 1U);
      EXPECT_EQ(outcome.checked_elements, static_cast<Count>(r_.size) * setting_.count);
    }
  }
}

TEST_F(DataCheck, SeveralWrongElementsAreCountedAndTheFirstIsNamed) {
  comm_.fault = [&] {
    for (const Count at : {40, 3, 299}) recv()[at] = -0.5F;
  };
  const CheckOutcome outcome = check(kAllReduce, {send(), recv()});
  EXPECT_EQ(outcome.wrong_elements, 3U * static_cast<Count>(r_.size));
  EXPECT_TRUE(outcome.first_wrong.starts_with("rank 0, byte 12 of")) << outcome.first_wrong;
}

// Nothing may be right because it happens to lie there already, not even where all sums are 0.
TEST_F(DataCheck, AnOperationThatDoesNothingIsFound) {
  const Operation nothing = {traffic::all_reduce,
                             [](const Setting&, const Buffers&) { return CallGroups{}; },
                             kAllReduce.expected};
  std::fill(recv_.begin(), recv_.end(), 0.0F);
  EXPECT_GT(check(nothing, {send(), recv()}).wrong_elements, total() * 9 / 10);
}

TEST_F(DataCheck, WritingWhereNothingIsReceivedIsFound) {
  if (r_.size == 1) GTEST_SKIP() << "a lone rank receives everything";
  if (r_.rank == 1) comm_.fault = [&] { recv()[kCount + 5] = -0.5F; };
  const CheckOutcome outcome = check(kGather, {send(), recv()});
  EXPECT_EQ(outcome.wrong_elements, 1U);
  const std::string start = fmt::format(
      "rank 1, byte {} of what the rank must leave alone: expected ", (kCount + 5) * sizeof(float));
  EXPECT_TRUE(outcome.first_wrong.starts_with(start)) << outcome.first_wrong;
}

TEST_F(DataCheck, ResultsOfAnEarlierCheckAreWrong) {
  EXPECT_EQ(check(kReduce, {send(), recv()}).wrong_elements, 0U);
  const Operation nothing = {traffic::reduce,
                             [](const Setting&, const Buffers&) { return CallGroups{}; },
                             kReduce.expected};
  EXPECT_GT(check(nothing, {send(), recv()}).wrong_elements, kCount / 2);
}

}  // namespace
}  // namespace collbench
