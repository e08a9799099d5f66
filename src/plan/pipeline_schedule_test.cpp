// SPDX-License-Identifier: Apache-2.0
#include "plan/pipeline_schedule.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace collbench::plan {
namespace {

using Kind = Action::Kind;

/// "F0 F1 B0 ..."; turns of several actions as "F2+B0", chunks above 0 as "F0.1".
std::string text_of(const std::vector<Turn>& turns) {
  std::string text;
  for (const Turn& turn : turns) {
    std::string together;
    for (const Action& action : turn) {
      const char letter = "FBIW"[static_cast<int>(action.kind)];
      together += (together.empty() ? "" : "+") + (letter + std::to_string(action.micro_batch));
      if (action.chunk > 0) together += "." + std::to_string(action.chunk);
    }
    text += (text.empty() ? "" : " ") + together;
  }
  return text;
}

TEST(PipelineSchedule, OrdersByHand) {
  const Pipeline four = {.ranks = 2, .micro_batches = 4};
  EXPECT_EQ(text_of(turns(Schedule::gpipe, four, 0)), "F0 F1 F2 F3 B0 B1 B2 B3");
  EXPECT_EQ(text_of(turns(Schedule::one_f_one_b, four, 0)), "F0 F1 B0 F2 B1 F3 B2 B3");
  EXPECT_EQ(text_of(turns(Schedule::one_f_one_b, four, 1)), "F0 B0 F1 B1 F2 B2 F3 B3");
  EXPECT_EQ(text_of(turns(Schedule::zb_h1, four, 0)), "F0 F1 I0 W0 F2 I1 W1 F3 I2 W2 I3 W3");
  EXPECT_EQ(text_of(turns(Schedule::zb_h1, four, 1)), "F0 I0 F1 I1 W0 F2 I2 W1 F3 I3 W2 W3");
}

// Megatron, p = 2, M = 4, V = 2: groups of two micro-batches go through both chunks.
TEST(PipelineSchedule, InterleavedByHand) {
  const Pipeline pipeline = {.ranks = 2, .micro_batches = 4, .chunks = 2};
  EXPECT_EQ(text_of(turns(Schedule::interleaved, pipeline, 1)),
            "F0 F1 F0.1+B0.1 F1.1+B1.1 F2+B0 F3+B1 F2.1+B2.1 F3.1+B3.1 B2 B3");
  EXPECT_EQ(text_of(turns(Schedule::interleaved, pipeline, 0)).substr(0, 24),
            "F0 F1 F0.1 F1.1 F2+B0.1 ");
}

TEST(PipelineSchedule, WarmUpCountsOfMegatron) {
  const Pipeline pipeline = {.ranks = 8, .micro_batches = 32, .chunks = 1};
  EXPECT_EQ(warm_up(Schedule::one_f_one_b, pipeline, 0), 7);
  EXPECT_EQ(warm_up(Schedule::one_f_one_b, pipeline, 7), 0);
  EXPECT_EQ(warm_up(Schedule::one_f_one_b, {.ranks = 8, .micro_batches = 3}, 0), 3);
  const Pipeline chunks = {.ranks = 4, .micro_batches = 8, .chunks = 3};
  EXPECT_EQ(warm_up(Schedule::interleaved, chunks, 0), 14);  // 2*3 + 2*4
  EXPECT_EQ(warm_up(Schedule::interleaved, chunks, 3), 8);
  EXPECT_EQ(warm_up(Schedule::interleaved, {.ranks = 4, .micro_batches = 4, .chunks = 2}, 0), 8);
}

TEST(PipelineSchedule, EveryActionOnceAndForwardFirst) {
  for (const ScheduleRow& row : kSchedules) {
    const int chunks = row.schedule == Schedule::interleaved ? 3 : 1;
    const Pipeline pipeline = {.ranks = 4, .micro_batches = 8, .chunks = chunks};
    for (int rank = 0; rank < 4; ++rank) {
      std::map<std::pair<int, int>, std::string> seen;  // by micro-batch and chunk
      for (const Turn& turn : turns(row.schedule, pipeline, rank)) {
        for (const Action& action : turn) {
          seen[{action.micro_batch, action.chunk}] += "FBIW"[static_cast<int>(action.kind)];
        }
      }
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(8 * chunks));
      for (const auto& [where, kinds] : seen) {
        EXPECT_EQ(kinds, row.schedule == Schedule::zb_h1 ? "FIW" : "FB") << row.name;
      }
    }
  }
}

}  // namespace
}  // namespace collbench::plan
