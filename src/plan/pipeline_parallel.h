// SPDX-License-Identifier: Apache-2.0
// Pipeline parallelism: the passes of one rank in the order of a schedule, and the messages between
// stages.
#pragma once

#include <array>
#include <string_view>

#include "plan/passes.h"
#include "plan/pipeline_schedule.h"

namespace collbench::plan {

enum class StageMessages : std::uint8_t {
  fused,  // a send and the receive that belongs to it are one group, which computing waits for
  pairs,  // each message alone on a communicator of two ranks; computing waits for what it reads
};

struct StageMessagesRow {
  StageMessages messages;
  std::string_view name;
};

inline constexpr std::array<StageMessagesRow, 2> kStageMessages = {{
    {StageMessages::fused, "fused"},
    {StageMessages::pairs, "pairs"},
}};
static_assert(in_enum_order(kStageMessages, &StageMessagesRow::messages));

struct PipelineOptions {
  Schedule schedule = Schedule::one_f_one_b;
  StageMessages messages = StageMessages::fused;
};

/// Emits the passes of all micro-batches.
///
/// Activations and their gradients have s/c (under sequence parallelism s/(c*t)) x b x h elements.
/// `fused`: in the steady state of 1F1B a send goes with the receive from the same neighbour, as in
/// Megatron; the interleaved schedule fuses everything between two turns, the others nothing.
/// `pairs`: where neighbours exchange, ranks of even position send first, the others receive first.
/// A message starts after all computing that was issued before it, as frameworks have it: what is
/// sent leaves at the end of a pass.
///
/// Source: Megatron-LM, core/pipeline_parallel/schedules.py and p2p_communication.py.
void pipeline_parallel(const TrafficContext& context, Passes& passes,
                       const PipelineOptions& options);

}  // namespace collbench::plan
