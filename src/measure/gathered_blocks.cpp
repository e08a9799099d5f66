// SPDX-License-Identifier: Apache-2.0
#include "measure/gathered_blocks.h"

#include <optional>
#include <utility>

#include "measure/alignment.h"

namespace collbench {
namespace {

void add_sample(const BlockOfRanks& block, const std::vector<int>& group, const Workbench& bench,
                const Method& method, Samples& samples) {
  const auto over_ranks = [&](double TimedBlock::*time) {
    std::vector<double> times_s;
    for (const int rank : group) times_s.push_back(block[static_cast<std::size_t>(rank)].*time);
    return times_s;
  };
  const auto value = [&](double TimedBlock::*time) {
    return aggregate(method.aggregation, over_ranks(time));
  };
  samples.values_s.push_back(value(&TimedBlock::operation_s));
  samples.by_sample_s.push_back(over_ranks(&TimedBlock::operation_s));
  if (method.enqueue_time) samples.enqueue_s.push_back(value(&TimedBlock::enqueue_s));
  if (!bench.device.stamps_events()) return;
  samples.device_s.push_back(value(&TimedBlock::device_s));
  samples.enqueue_share.push_back(value(&TimedBlock::enqueue_s) / samples.values_s.back());
}

// Between an alignment and a block's first reading of the clock a rank at most records an event.
std::optional<double> exit_skew_s(const BlockOfRanks& block, const Alignment* alignment) {
  if (alignment == nullptr) return std::nullopt;
  std::vector<double> starts_s;
  for (const TimedBlock& of_rank : block) starts_s.push_back(of_rank.start_s);
  return alignment->exit_skew_s(starts_s);
}

}  // namespace

std::vector<BlockOfRanks> gather_blocks(ControlPlane& control,
                                        const std::vector<TimedBlock>& mine) {
  const auto ranks = static_cast<std::size_t>(control.size());
  std::vector<TimedBlock> all(mine.size() * ranks);
  control.all_gather_bytes(mine.data(), mine.size() * sizeof(TimedBlock), all.data());
  std::vector<BlockOfRanks> blocks(mine.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      blocks[i].push_back(all[rank * mine.size() + i]);
    }
  }
  return blocks;
}

void add_block(const BlockOfRanks& block, const Workbench& bench, const RanksOfGroups& groups,
               const Method& method, std::vector<Samples>& samples) {
  const std::optional<double> skew_s = exit_skew_s(block, bench.alignment);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    add_sample(block, groups[group], bench, method, samples[group]);
    if (skew_s) samples[group].exit_skew_s.push_back(*skew_s);
  }
}

}  // namespace collbench
