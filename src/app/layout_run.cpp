// SPDX-License-Identifier: Apache-2.0
#include "app/layout_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "plan/totals.h"
#include "plan/variants.h"
#include "replay/computation.h"
#include "replay/step_check.h"
#include "replay/timelines.h"
#include "replay/turn_times.h"
#include "statistics/statistics.h"

namespace collbench {
namespace {

using replay::Timing;

// Of rounds through all that a step sends.
replay::StepSampling sampling_of_turns(const PatternOptions& options) {
  replay::StepSampling sampling;
  sampling.stop.min_samples = 5;
  sampling.stop.max_samples = 100;
  sampling.stop.max_time_s = 3;
  sampling.warmup = 1;
  sampling.deadline_s = options.timeout_s;
  return sampling;
}

// What a rank leaves alone: its libraries need some memory, too.
Bytes usable(Bytes available) { return available - available / 10; }

struct MemoryNeed {
  Bytes needed = 0;
  Bytes usable = 0;
};

// The most that a rank has of something.
template <class Of>
auto most_of_ranks(const plan::Plan& plan, Of of) {
  auto most = of(plan.classes.front());
  for (const plan::RankClass& ranks : plan.classes) most = std::max(most, of(ranks));
  return most;
}

// Of a step's messages, on links as slow as any.
double slow_communication_s(const plan::Plan& plan) {
  return slow_move_s(most_of_ranks(
      plan, [&](const plan::RankClass& ranks) { return plan::sent_bytes(plan, ranks); }));
}

double slow_computing_s(const LayoutBench& bench, const plan::Plan& plan) {
  const double flops = static_cast<double>(
      most_of_ranks(plan, [](const plan::RankClass& ranks) { return plan::flops(ranks); }));
  switch (bench.options.replay.compute) {
    case replay::Compute::gemm:
      return flops / bench.steps.device.gemm_facts().slow_flops;
    case replay::Compute::busy:
      return flops / bench.options.costs.compute.flops;
    case replay::Compute::none:
      break;
  }
  return 0;
}

Bytes computing_bytes(const LayoutBench& bench, const plan::RankClass& ranks) {
  return replay::computation_bytes(bench.options.replay.compute, ranks,
                                   size_of(bench.steps.device.gemm_facts().type));
}

Bytes memory_of(const LayoutBench& bench, const plan::RankClass& ranks) {
  return replay::moved_bytes(ranks, plan::Memory::device) +
         replay::moved_bytes(ranks, plan::Memory::host) + computing_bytes(bench, ranks);
}

}  // namespace

replay::StepSampling sampling_of_steps(const PatternOptions& options) {
  replay::StepSampling sampling;
  sampling.stop.min_samples = 10;
  sampling.stop.max_samples = 1000;
  sampling.stop.max_time_s = 20;
  sampling.stop.fixed_samples = options.replay.steps.value_or(0);
  sampling.warmup = options.replay.warmup;
  sampling.deadline_s = options.timeout_s;
  return sampling;
}

replay::StepSampling sampling_of_balanced_steps(const PatternOptions& options) {
  constexpr std::uint64_t kSamples = 3;
  replay::StepSampling sampling = sampling_of_steps(options);
  sampling.stop.fixed_samples = std::min(options.replay.steps.value_or(kSamples), kSamples);
  return sampling;
}

LayoutRun::LayoutRun(const LayoutBench& bench, const plan::Plan& plan, Comms comms)
    : bench_(bench),
      plan_(plan),
      exchanges_(plan::distinct_exchanges(plan, plan::match(plan))),
      turns_(plan::in_turns(plan, exchanges_)),
      slowest_step_s_(slow_communication_s(plan) + slow_computing_s(bench, plan)) {
  const Bytes filled =
      most_of_ranks(plan, [&](const plan::RankClass& ranks) { return memory_of(bench, ranks); });
  bench.steps.progress.enter("preparing a step",
                             step_limit_s(bench.options.timeout_s, slow_move_s(filled)));
  comms_ = comms ? std::move(comms) : make_communicators();
  refuse_beyond_memory();
  if (takes_part()) make_stage();
}

LayoutRun::Comms LayoutRun::make_communicators() const {
  const int rank = bench_.all.rank();
  const bool member = rank < model::ranks(plan_.layout);
  const auto ranks_of_plan = bench_.all.split(member ? 0 : -1, rank);
  auto comms = std::make_shared<std::optional<replay::PlanCommunicators>>();
  if (ranks_of_plan) comms->emplace(*ranks_of_plan, turns_.plan);
  return comms;
}

const plan::RankClass& LayoutRun::own(const plan::Plan& plan) const {
  return plan.classes[plan::class_of(plan, bench_.all.rank())];
}

void LayoutRun::make_stage() {
  Device& device = bench_.steps.device;
  const PatternOptions& options = bench_.options;
  streams_ = replay::make_streams(device, plan_);
  memory_.emplace(device, own(turns_.plan), *streams_.back());
  stage_.emplace(replay::Stage{device, plan_, bench_.all.rank(), **comms_, *memory_, streams_});
  computation_ = replay::make_computation(options.replay.compute, device, own(plan_),
                                          options.costs.compute.flops);
  nothing_ = replay::make_computation(replay::Compute::none, device, own(plan_), 0);
}

void LayoutRun::refuse_beyond_memory() const {
  Device& device = bench_.steps.device;
  const bool computes = bench_.options.replay.compute == replay::Compute::gemm;
  for (const auto& [memory, kind] : {std::pair{plan::Memory::device, MemoryKind::device},
                                     std::pair{plan::Memory::host, MemoryKind::pinned}}) {
    MemoryNeed mine;
    if (takes_part()) mine.needed = replay::moved_bytes(own(plan_), memory);
    if (takes_part() && memory == plan::Memory::device) {
      mine.needed += computing_bytes(bench_, own(plan_));
    }
    mine.usable = usable(device.available(kind));
    const std::vector<MemoryNeed> all = bench_.steps.control.all_gather(mine);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (all[rank].needed <= all[rank].usable) continue;
      throw UserError(fmt::format(
          "rank {} needs {} bytes ({}) for what this step communicates{}, and can have {}; give "
          "--layers N or --shrink F{}, or more ranks",
          rank, all[rank].needed, format_bytes(all[rank].needed), computes ? " and multiplies" : "",
          format_bytes(all[rank].usable), computes ? " or --compute busy" : ""));
    }
  }
}

std::unique_ptr<LayoutRun::Part> LayoutRun::part(const plan::Plan& plan, Timing timing) const {
  auto part = std::make_unique<Part>();
  if (!takes_part()) return part;
  part->ranks = own(plan);
  part->executor.emplace(*stage_, part->ranks, timing);
  return part;
}

replay::Replay LayoutRun::replay(std::string what, Part& part, replay::Computation* computation) {
  return {std::move(what), part.executor ? &*part.executor : nullptr, computation};
}

LayoutSamples LayoutRun::sample() {
  LayoutSamples samples = sample_variants();
  for (const double step_s : samples.step.values_s) {
    slowest_step_s_ = std::max(slowest_step_s_, step_s);
  }
  return samples;
}

replay::StepSamples LayoutRun::sample_step(const replay::StepSampling& sampling) {
  replay::StepSampling mine = sampling;
  mine.estimate_s = slowest_step_s_;
  const auto step = part(plan_, Timing::whole_step);
  const std::vector<replay::Replay> alone = {replay("step", *step, computation_.get())};
  return std::move(replay::sample_steps(bench_.steps, alone, mine).front());
}

LayoutSamples LayoutRun::sample_variants() {
  replay::StepSampling sampling = sampling_of_steps(bench_.options);
  if (bench_.options.replay.step_only) return {sample_step(sampling), std::nullopt};
  sampling.estimate_s = slowest_step_s_;
  const auto step = part(plan_, Timing::whole_step);
  const auto computing = part(plan::without_communication(plan_), Timing::whole_step);
  const auto skeleton = part(plan::skeleton(plan_), Timing::whole_step);
  const auto communication = part(plan::without_computing(plan_), Timing::whole_step);
  const auto latency = part(plan::without_computing(plan::skeleton(plan_)), Timing::whole_step);
  const std::vector<replay::Replay> replays = {
      replay("step", *step, computation_.get()),
      replay("step, computing alone", *computing, computation_.get()),
      replay("step, messages of one element", *skeleton, computation_.get()),
      replay("step, communication alone", *communication, nothing_.get()),
      replay("step, messages of one element alone", *latency, nothing_.get())};
  std::vector<replay::StepSamples> samples = replay::sample_steps(bench_.steps, replays, sampling);
  return {std::move(samples[0]),
          LayoutSamples::Variants{std::move(samples[1]), std::move(samples[2]),
                                  std::move(samples[3]), std::move(samples[4])}};
}

// ---- messages

std::vector<MessageTime> LayoutRun::time_messages() {
  const std::vector<double> medians_s = medians_in_turns(turns_, exchanges_.size());
  std::vector<MessageTime> all;
  for (std::size_t k = 0; k < exchanges_.size(); ++k) {
    all.push_back({exchanges_[k], medians_s[k]});
  }
  if (!plan_.matrices.empty()) add_even_times(all);
  return all;
}

std::vector<double> LayoutRun::medians_in_turns(const plan::Turns& turns, std::size_t distinct) {
  replay::StepSampling sampling = sampling_of_turns(bench_.options);
  sampling.estimate_s = slowest_step_s_;
  const auto timed = part(turns.plan, Timing::each_operation);
  replay::TurnsReplay replayed;
  replayed.replay = replay("messages, each in its turn", *timed, nothing_.get());
  replayed.distinct = distinct;
  replayed.distinct_of_turn = turns.distinct_of_turn;
  if (takes_part()) {
    replayed.distinct_of_op = turns.distinct[plan::class_of(plan_, bench_.all.rank())];
  }
  std::vector<double> medians_s;
  for (const auto& samples_s : replay::time_turns(bench_.steps, replayed, sampling)) {
    medians_s.push_back(statistics::median(samples_s));
  }
  return medians_s;
}

// Of the same exchanges with their rows divided evenly.
void LayoutRun::add_even_times(std::vector<MessageTime>& all) {
  const plan::Plan even = plan::evened(plan_);
  const auto exchanges = plan::distinct_exchanges(even, plan::match(even));
  const std::vector<double> medians_s =
      medians_in_turns(plan::in_turns(even, exchanges), exchanges.size());
  for (MessageTime& time : all) {
    if (time.exchange.message.matrix == plan::kNoMatrix) continue;
    const plan::MessageRef& place = time.exchange.exchanges.front().members.front();
    for (std::size_t k = 0; k < exchanges.size(); ++k) {
      const bool is_same = std::ranges::any_of(exchanges[k].exchanges, [&](const auto& exchange) {
        return exchange.members.front() == place;
      });
      if (is_same) time.even_s = medians_s[k];
    }
  }
}

// ---- one step, operation by operation

LayoutTimelines LayoutRun::timelines() {
  return {
      timeline("step, timed", plan_, computation_.get()),
      timeline("computing alone, timed", plan::without_communication(plan_), computation_.get()),
      timeline("communication alone, timed", plan::without_computing(plan_), nothing_.get())};
}

plan::Timeline LayoutRun::timeline(std::string what, const plan::Plan& plan,
                                   replay::Computation* computation) {
  const auto timed = part(plan, Timing::each_operation);
  const replay::Replay step = replay(std::move(what), *timed, computation);
  const double limit_s = step_limit_s(bench_.options.timeout_s, slowest_step_s_);
  replay::time_step(bench_.steps, step, limit_s);  // warms up what timing adds
  const replay::TimedStep latest = replay::time_step(bench_.steps, step, limit_s);
  return replay::gather_times(
      bench_.steps.control, plan,
      timed->executor ? timed->executor->times(latest.start_s) : std::vector<plan::OpTime>());
}

CheckOutcome LayoutRun::check() {
  std::optional<replay::CheckedRank> mine;
  if (takes_part()) mine.emplace(replay::CheckedRank{*stage_, plan_});
  // What is sent is made, compared and summed again, each at the rate of slow memory.
  const double estimate_s = slowest_step_s_ + 3 * slow_communication_s(plan_);
  return replay::check_step(bench_.steps, mine ? &*mine : nullptr, /*seed=*/1,
                            step_limit_s(bench_.options.timeout_s, estimate_s));
}

}  // namespace collbench
