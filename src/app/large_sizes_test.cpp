// SPDX-License-Identifier: Apache-2.0
#include "app/large_sizes.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "comm/rank_team.h"
#include "comm/test_one_process.h"

namespace collbench {
namespace {

// Says what it would do, and does nothing.
class PoliteCommunicator final : public Communicator {
 public:
  explicit PoliteCommunicator(std::function<Handling(const Call&)> handling)
      : handling_(std::move(handling)) {}
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void enqueue(std::span<const Call>, Stream&) override { FAIL() << "only asked"; }
  Handling handling_of(const Call& call) const override { return handling_(call); }
  std::unique_ptr<Communicator> split(int, int) override { return nullptr; }
  std::optional<std::string> async_error() override { return std::nullopt; }
  void abort() noexcept override {}

 private:
  std::function<Handling(const Call&)> handling_;
};

Operation all_reduce_in_two_groups() {
  return {
      traffic::all_reduce,
      [](const Setting& s, const Buffers& b) {
        return CallGroups{{all_reduce(b, 1, s.type, s.op)}, {all_reduce(b, s.count, s.type, s.op)}};
      },
      nullptr};
}

// One sweep of these counts, the first of which is skipped already.
PlannedSweep sweep_of(std::initializer_list<Count> counts) {
  PlannedSweep sweep;
  for (const Count count : counts) {
    SweepSize size;
    size.count = count;
    sweep.sizes.push_back(size);
  }
  sweep.sizes.front().skip_reason = "skipped before";
  return sweep;
}

struct Outcome {
  RunPlan plan;
  Bytes extra_bytes = 0;

  const std::vector<SweepSize>& sizes(std::size_t group) const {
    return plan.groups[group].sweeps[0].sizes;
  }
};

// On two ranks, each with what its communicator says.
std::vector<Outcome> settle(const std::vector<std::vector<int>>& groups, const PlannedSweep& sweep,
                            const std::function<Handling(int rank, Count)>& handling) {
  RunPlan plan;
  for (const auto& ranks : groups) plan.groups.push_back({ranks, std::nullopt, {sweep}});
  OneProcess process;
  RankTeam team(process, 2);
  std::vector<Outcome> outcomes(2, {plan, 0});
  const auto on_rank = [&](int rank) {
    const PoliteCommunicator comm([&](const Call& call) { return handling(rank, call.count); });
    Outcome& outcome = outcomes[static_cast<std::size_t>(rank)];
    outcome.plan.mine = groups.size() == 1 ? 0 : static_cast<std::size_t>(rank);
    outcome.extra_bytes = settle_large_sizes(outcome.plan, all_reduce_in_two_groups(), comm,
                                             team.control_plane(rank));
  };
  std::thread other(on_rank, 1);
  on_rank(0);
  other.join();
  return outcomes;
}

TEST(LargeSizes, TheLargestOfThoseInPiecesAndTheLargestWholeOneSayTheMemory) {
  const auto outcomes = settle({{0, 1}}, sweep_of({1, 10, 100, 1000}), [](int, Count count) {
    return count >= 100 ? Handling{"", true, 64} : Handling{"", false, 8 * count};
  });
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.extra_bytes, 80U);
    const auto& sizes = outcome.sizes(0);
    EXPECT_FALSE(sizes[1].in_pieces);
    EXPECT_TRUE(sizes[2].in_pieces);
    EXPECT_TRUE(sizes[3].in_pieces);
  }
}

TEST(LargeSizes, WhatOneRankCannotDoIsSkippedOnAll) {
  const auto outcomes = settle({{0, 1}}, sweep_of({1, 10, 100, 1000}), [](int rank, Count count) {
    return count >= (rank == 1 ? 100U : 1000U)
               ? Handling{"rank " + std::to_string(rank) + " cannot", false, 7}
               : Handling{"", false, static_cast<Bytes>(rank)};
  });
  for (const Outcome& outcome : outcomes) {
    const auto& sizes = outcome.sizes(0);
    EXPECT_EQ(sizes[0].skip_reason, "skipped before");
    EXPECT_EQ(sizes[1].skip_reason, "");
    EXPECT_EQ(sizes[2].skip_reason, "rank 1 cannot");
    EXPECT_EQ(sizes[3].skip_reason, "rank 1 cannot");
    EXPECT_EQ(outcome.extra_bytes, 1U);
  }
}

TEST(LargeSizes, EveryRankKnowsWhatOtherGroupsDo) {
  const auto outcomes = settle({{0}, {1}}, sweep_of({1, 10, 100}), [](int rank, Count count) {
    if (rank == 0) return Handling{"", count >= 10, 3};
    return Handling{count >= 100 ? "too large" : "", false, 5};
  });
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.extra_bytes, 5U);
    EXPECT_TRUE(outcome.sizes(0)[1].in_pieces);
    EXPECT_TRUE(outcome.sizes(0)[2].in_pieces);
    EXPECT_EQ(outcome.sizes(0)[2].skip_reason, "");
    EXPECT_FALSE(outcome.sizes(1)[1].in_pieces);
    EXPECT_EQ(outcome.sizes(1)[1].skip_reason, "");
    EXPECT_EQ(outcome.sizes(1)[2].skip_reason, "too large");
  }
}

TEST(LargeSizes, NothingIsSaidOfPlainSizes) {
  for (const Outcome& outcome :
       settle({{0, 1}}, sweep_of({1, 10}), [](int, Count) { return Handling{}; })) {
    EXPECT_EQ(outcome.extra_bytes, 0U);
    EXPECT_EQ(outcome.sizes(0)[1].skip_reason, "");
    EXPECT_FALSE(outcome.sizes(0)[1].in_pieces);
  }
}

}  // namespace
}  // namespace collbench
