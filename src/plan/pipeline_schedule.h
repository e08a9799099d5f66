// SPDX-License-Identifier: Apache-2.0
// Pipeline schedules: in which order a rank works on micro-batches.
//
// p ranks, M micro-batches, V chunks on each rank. Chunk j of rank r is stage j*p + r.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/enum_rows.h"

namespace collbench::plan {

enum class Schedule : std::uint8_t {
  gpipe,        // all forward, then all backward
  one_f_one_b,  // one backward for each forward, once the pipeline is full
  interleaved,  // the same over V chunks
  zb_h1,        // gradients of weights fill the bubble at the end
};

struct ScheduleRow {
  Schedule schedule;
  std::string_view name;
};

inline constexpr std::array<ScheduleRow, 4> kSchedules = {{
    {Schedule::gpipe, "gpipe"},
    {Schedule::one_f_one_b, "1f1b"},
    {Schedule::interleaved, "interleaved"},
    {Schedule::zb_h1, "zb-h1"},
}};
static_assert(in_enum_order(kSchedules, &ScheduleRow::schedule));

struct Action {
  enum class Kind : std::uint8_t { forward, backward, input_gradients, weight_gradients };
  Kind kind = Kind::forward;
  int micro_batch = 0;
  int chunk = 0;
  bool operator==(const Action&) const = default;
};

/// Actions between which a rank exchanges nothing: a forward and a backward of the interleaved
/// schedule, else one.
using Turn = std::vector<Action>;

struct Pipeline {
  int ranks = 1;          // p
  int micro_batches = 1;  // M
  int chunks = 1;         // V
};

/// Forward actions before the first backward one, as Megatron counts them: all of gpipe;
/// min(p-r-1, M) of 1F1B and ZB-H1; min(MV, 2(p-r-1) + (V-1)p) of the interleaved schedule.
int warm_up(Schedule schedule, const Pipeline& pipeline, int rank);

/// Throws UserError for a schedule that such a pipeline cannot have.
///
/// Sources: Megatron-LM, core/pipeline_parallel/schedules.py; ZB-H1: arXiv 2401.10241, with the
/// delay of weight gradients that torch.distributed.pipelining has: rank r does those of a
/// micro-batch r backward passes later.
std::vector<Turn> turns(Schedule schedule, const Pipeline& pipeline, int rank);

}  // namespace collbench::plan
