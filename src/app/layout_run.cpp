// SPDX-License-Identifier: Apache-2.0
#include "app/layout_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "plan/variants.h"
#include "replay/step_check.h"
#include "replay/timelines.h"
#include "statistics/statistics.h"

namespace collbench {
namespace {

using replay::Timing;

// Of one exchange alone, in blocks.
replay::StepSampling sampling_of_messages(const PatternOptions& options) {
  replay::StepSampling sampling;
  sampling.stop.min_samples = 5;
  sampling.stop.max_samples = 100;
  sampling.stop.max_time_s = 0.3;
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

LayoutRun::LayoutRun(const LayoutBench& bench, const plan::Plan& plan)
    : bench_(bench), plan_(plan) {
  const int rank = bench.all.rank();
  const bool member = rank < model::ranks(plan.layout);
  const auto ranks_of_plan = bench.all.split(member ? 0 : -1, rank);
  if (ranks_of_plan) comms_.emplace(*ranks_of_plan, plan);
  refuse_beyond_memory();
  if (takes_part()) make_stage();
}

const plan::RankClass& LayoutRun::own(const plan::Plan& plan) const {
  return plan.classes[plan::class_of(plan, bench_.all.rank())];
}

void LayoutRun::make_stage() {
  Device& device = bench_.steps.device;
  const PatternOptions& options = bench_.options;
  streams_ = replay::make_streams(device, plan_);
  memory_.emplace(device, own(plan_), *streams_.back());
  stage_.emplace(
      replay::Stage{device, plan_.layout, bench_.all.rank(), *comms_, *memory_, streams_});
  computation_ = replay::make_computation(options.replay.compute, device, own(plan_),
                                          options.costs.compute.flops);
  nothing_ = replay::make_computation(replay::Compute::none, device, own(plan_), 0);
}

void LayoutRun::refuse_beyond_memory() const {
  Device& device = bench_.steps.device;
  for (const auto& [memory, kind] : {std::pair{plan::Memory::device, MemoryKind::device},
                                     std::pair{plan::Memory::host, MemoryKind::pinned}}) {
    MemoryNeed mine;
    if (takes_part()) mine.needed = replay::moved_bytes(own(plan_), memory);
    mine.usable = usable(device.available(kind));
    const std::vector<MemoryNeed> all = bench_.steps.control.all_gather(mine);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (all[rank].needed <= all[rank].usable) continue;
      throw UserError(fmt::format(
          "rank {} needs {} bytes ({}) for what this step communicates, and can have {}; give "
          "--layers N or --shrink F, or more ranks",
          rank, all[rank].needed, format_bytes(all[rank].needed), format_bytes(all[rank].usable)));
    }
  }
}

std::unique_ptr<LayoutRun::Part> LayoutRun::part(plan::Plan plan, Timing timing) const {
  auto part = std::make_unique<Part>(std::move(plan));
  if (takes_part()) part->executor.emplace(*stage_, own(part->plan), timing);
  return part;
}

replay::Replay LayoutRun::replay(std::string what, Part& part, replay::Computation* computation) {
  return {std::move(what), part.executor ? &*part.executor : nullptr, computation};
}

LayoutSamples LayoutRun::sample() {
  const replay::StepSampling sampling = sampling_of_steps(bench_.options);
  const auto step = part(plan_, Timing::whole_step);
  if (bench_.options.replay.step_only) {
    const std::vector<replay::Replay> alone = {replay("step", *step, computation_.get())};
    return {std::move(replay::sample_steps(bench_.steps, alone, sampling).front()), std::nullopt};
  }
  const auto computing = part(plan::without_communication(plan_), Timing::whole_step);
  const auto skeleton = part(plan::skeleton(plan_), Timing::whole_step);
  const auto communication = part(plan::without_computing(plan_), Timing::whole_step);
  const std::vector<replay::Replay> replays = {
      replay("step", *step, computation_.get()),
      replay("step, computing alone", *computing, computation_.get()),
      replay("step, messages of one element", *skeleton, computation_.get()),
      replay("step, communication alone", *communication, nothing_.get())};
  std::vector<replay::StepSamples> samples = replay::sample_steps(bench_.steps, replays, sampling);
  return {
      std::move(samples[0]),
      LayoutSamples::Variants{std::move(samples[1]), std::move(samples[2]), std::move(samples[3])}};
}

// ---- messages

std::vector<MessageSamples> LayoutRun::sample_messages() {
  const plan::Matching matching = plan::match(plan_);
  std::vector<MessageSamples> all;
  for (plan::DistinctExchange& exchange : plan::distinct_exchanges(plan_, matching)) {
    const double median_s = sample_message(exchange);
    all.push_back({std::move(exchange), median_s});
  }
  return all;
}

double LayoutRun::sample_message(const plan::DistinctExchange& exchange) {
  constexpr double kBlock_s = 2e-3;
  constexpr double kMostTimes = 50;
  const std::string what = fmt::format("{} alone", plan::name_of(exchange.message));
  replay::StepSampling once = sampling_of_messages(bench_.options);
  once.stop.fixed_samples = 2;
  const double one_s = time_of(what, exchange.exchange, 1, once);
  const double times = std::clamp(std::ceil(kBlock_s / std::max(one_s, 1e-9)), 1.0, kMostTimes);
  return time_of(what, exchange.exchange, static_cast<int>(times),
                 sampling_of_messages(bench_.options));
}

double LayoutRun::time_of(const std::string& what, const plan::Exchange& exchange, int times,
                          const replay::StepSampling& sampling) {
  const auto alone = part(plan::only(plan_, exchange, times), Timing::whole_step);
  const std::vector<replay::Replay> replays = {replay(what, *alone, nothing_.get())};
  const auto samples = replay::sample_steps(bench_.steps, replays, sampling);
  return statistics::median(samples.front().values_s) / times;
}

// ---- one step, operation by operation

LayoutTimelines LayoutRun::timelines() {
  return {
      timeline("step, timed", plan_, computation_.get()),
      timeline("computing alone, timed", plan::without_communication(plan_), computation_.get()),
      timeline("communication alone, timed", plan::without_computing(plan_), nothing_.get())};
}

plan::Timeline LayoutRun::timeline(std::string what, plan::Plan plan,
                                   replay::Computation* computation) {
  const auto timed = part(std::move(plan), Timing::each_operation);
  const replay::Replay step = replay(std::move(what), *timed, computation);
  const double limit_s = step_limit_s(bench_.options.timeout_s, 0);
  replay::time_step(bench_.steps, step, limit_s);  // warms up what timing adds
  const replay::TimedStep latest = replay::time_step(bench_.steps, step, limit_s);
  return replay::gather_times(
      bench_.steps.control, timed->plan,
      timed->executor ? timed->executor->times(latest.start_s) : std::vector<plan::OpTime>());
}

CheckOutcome LayoutRun::check() {
  std::optional<replay::CheckedRank> mine;
  if (takes_part()) mine.emplace(replay::CheckedRank{*stage_, plan_});
  return replay::check_step(bench_.steps, mine ? &*mine : nullptr, /*seed=*/1,
                            step_limit_s(bench_.options.timeout_s, 0));
}

}  // namespace collbench
