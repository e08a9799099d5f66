// SPDX-License-Identifier: Apache-2.0
#include "measure/background.h"

#include <gtest/gtest.h>

#include <thread>

#include "measure/interfering.h"
#include "measure/sampling_fakes.h"

namespace collbench {
namespace {

// Done unless so many operations have been enqueued since it was waited for.
class LastingStream final : public Stream {
 public:
  explicit LastingStream(std::uint64_t needed) : needed_(needed) {}
  bool query() override { return waiting < needed_; }
  void synchronize() override { waiting = 0; }
  std::uint64_t waiting = 0;

 private:
  std::uint64_t needed_;
};

struct Outcome {
  std::vector<std::uint64_t> blocks;  // operations of each
  bool threw = false;
};

// Blocks until one outlasts what is timed, on ranks that need so many operations for it.
std::vector<Outcome> until_it_lasts(const std::vector<std::uint64_t>& needed, Operation operation) {
  const int ranks = static_cast<int>(needed.size());
  OneProcess process;
  RankTeam team(process, ranks);
  std::vector<Outcome> outcomes(needed.size());
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const auto r = static_cast<std::size_t>(rank);
      CountedClockDevice device;
      LastingStream stream(needed[r]);
      TimedCommunicator comm(rank, ranks, device, [](std::uint64_t) { return 0.0; });
      comm.on_group = [&](std::span<const Call>) { ++stream.waiting; };
      Background background(team.control_plane(rank), comm, stream, operation,
                            setting_of(rank, ranks), Placement{});
      try {
        do {
          background.start();
          outcomes[r].blocks.push_back(stream.waiting);
        } while (!background.outlasted());
      } catch (const TooShort&) {
        outcomes[r].threw = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

TEST(Background, DoublesUntilItOutlastsOnEveryRank) {
  for (const Outcome& outcome : until_it_lasts({3, 6}, all_reduce_operation())) {
    EXPECT_EQ(outcome.blocks, (std::vector<std::uint64_t>{1, 2, 4, 8}));
  }
}

TEST(Background, RanksThatTakeNoPartNeedNotLast) {
  const Operation none = {traffic::all_reduce,
                          [](const Setting&, const Buffers&) { return CallGroups(); }, nullptr};
  for (const Outcome& outcome : until_it_lasts({100, 100}, none)) {
    EXPECT_EQ(outcome.blocks.size(), 1U);
  }
}

TEST(Background, ARankByItselfNeedNotLast) {
  EXPECT_EQ(until_it_lasts({100}, all_reduce_operation()).front().blocks.size(), 1U);
}

TEST(Background, WhatNeverLastsIsSaid) {
  const std::uint64_t never = std::uint64_t{1} << 40;
  for (const Outcome& outcome : until_it_lasts({1, never}, all_reduce_operation())) {
    EXPECT_TRUE(outcome.threw);
  }
}

TEST(Interfering, EachOperationHasItsCall) {
  Setting setting = setting_of(0, 2);
  const std::vector<std::vector<CallKind>> expected = {{CallKind::all_reduce},
                                                       {CallKind::all_gather},
                                                       {CallKind::reduce_scatter},
                                                       {CallKind::all_to_all},
                                                       {CallKind::send, CallKind::recv}};
  ASSERT_EQ(interfering_operations().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const CallGroups groups = interfering_operations()[i].calls(setting, Buffers{});
    ASSERT_EQ(groups.size(), 1U);
    std::vector<CallKind> kinds;
    for (const Call& call : groups.front()) kinds.push_back(call.kind);
    EXPECT_EQ(kinds, expected[i]) << interfering_operations()[i].traffic.name;
  }
}

}  // namespace
}  // namespace collbench
