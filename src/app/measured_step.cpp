// SPDX-License-Identifier: Apache-2.0
#include "app/measured_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "model/memory.h"
#include "plan/scheme_facts.h"
#include "plan/totals.h"
#include "replay/slot_memory.h"
#include "replay/timelines.h"
#include "statistics/series.h"

namespace collbench {
namespace {

StepSeries series_of(const replay::StepSamples& samples) {
  StepSeries series;
  series.samples_s = samples.values_s;
  series.median_s = statistics::median(samples.values_s);
  series.interval95_s = statistics::dependent_median_interval(samples.values_s);
  return series;
}

std::vector<double> rank_medians(const replay::StepSamples& samples, int ranks) {
  std::vector<double> medians;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
    std::vector<double> of_rank;
    for (const auto& by_rank : samples.by_sample_s) of_rank.push_back(by_rank[rank]);
    medians.push_back(statistics::median(of_rank));
  }
  return medians;
}

StepKey key_of(const StepContext& context, const plan::Plan& plan) {
  StepKey key;
  key.pattern = plan.name;
  key.model = plan.model;
  key.scheme = plan::choices(context.options.scheme, plan.layout);
  key.layout = plan.layout;
  key.step = plan.step;
  key.ranks = model::ranks(plan.layout);
  const auto first = context.host_of_rank.begin();
  key.nodes = static_cast<int>(std::set<int>(first, first + key.ranks).size());
  key.ranks_per_process = context.ranks_per_process;
  key.backend = context.backend;
  key.compute = name_of(context.options.replay.compute);
  key.layers = context.options.replay.layers;
  key.shrink = context.options.replay.shrink;
  return key;
}

// Of the rank that sends most.
void add_bytes(StepRecord& record, const StepContext& context, const plan::Plan& plan) {
  for (const plan::RankClass& ranks : plan.classes) {
    const Bytes sent = plan::sent_bytes(plan, ranks);
    const bool most = sent >= record.sent_bytes;
    if (most && !context.options.replay.shrink) {
      record.closed_form_sent_bytes =
          plan::closed_form_bytes(context.options.model, plan.layout, plan.step,
                                  context.options.scheme, ranks.positions.front());
    }
    record.sent_bytes = std::max(record.sent_bytes, sent);
    record.slot_bytes =
        std::max(record.slot_bytes, replay::moved_bytes(ranks, plan::Memory::device) +
                                        replay::moved_bytes(ranks, plan::Memory::host));
    record.flops += static_cast<double>(plan::flops(ranks)) * ranks.ranks;
  }
}

double most_flops(const plan::Plan& plan) {
  double most = 0;
  for (const plan::RankClass& ranks : plan.classes) {
    most = std::max(most, static_cast<double>(plan::flops(ranks)));
  }
  return most;
}

}  // namespace

StepRecord blank_step(const StepContext& context, const plan::Plan& plan) {
  StepRecord record;
  record.key = key_of(context, plan);
  add_bytes(record, context, plan);
  record.model_bytes =
      plan::state_bytes(context.options.model, plan.layout, context.options.scheme);
  record.tokens = plan.step.micro_batch * static_cast<Count>(plan.step.micro_batches) *
                  plan.step.sequence * static_cast<Count>(plan.layout.dp);
  record.left_out = plan.left_out;
  record.flags = context.flags;
  return record;
}

void add_samples(StepRecord& record, const LayoutSamples& samples) {
  record.step = series_of(samples.step);
  record.rank_median_s = rank_medians(samples.step, record.key.ranks);
  if (!samples.variants) return;
  record.computing = series_of(samples.variants->computing);
  record.skeleton = series_of(samples.variants->skeleton);
  record.communication = series_of(samples.variants->communication);
}

void add_messages(StepRecord& record, const plan::Plan& plan,
                  const std::vector<MessageSamples>& messages) {
  for (const MessageSamples& samples : messages) {
    const plan::Message& message = samples.exchange.message;
    const auto& per_step = samples.exchange.per_step;
    StepMessage row;
    row.operation = plan::name_of(message);
    row.axis = message.axis;
    row.group_size = model::size_of(plan.layout, message.axis);
    row.type = message.type;
    row.message_bytes = plan::message_bytes(message, row.group_size);
    row.per_step = *std::max_element(per_step.begin(), per_step.end());
    double bus_factor = 1;
    if (message.kind == plan::MessageKind::collective) {
      const traffic::Traffic& traffic = traffic::row_of(message.collective);
      if (traffic.reduces) row.op = message.op;
      bus_factor = traffic.bus_factor(row.group_size);
    }
    row.time_s = samples.median_s;
    if (samples.median_s > 0) {
      row.algorithm_bandwidth_Bps = static_cast<double>(row.message_bytes) / samples.median_s;
      row.bus_bandwidth_Bps = *row.algorithm_bandwidth_Bps * bus_factor;
    }
    record.messages.push_back(std::move(row));
  }
}

void add_timelines(StepRecord& record, const plan::Plan& plan, const LayoutTimelines& timelines) {
  const plan::Matching matching = plan::match(plan);
  const auto busy = [&](const plan::Timeline& timeline) {
    return replay::busy_times(plan, matching, timeline);
  };
  const replay::BusyTimes together = busy(timelines.step);
  record.computing_stretch =
      replay::stretch(together.computing_s, busy(timelines.computing).computing_s);
  record.communication_stretch =
      replay::stretch(together.communication_s, busy(timelines.communication).communication_s);
}

void add_check(StepRecord& record, const CheckOutcome& outcome) {
  record.check = DataCheck{outcome.checked_elements, outcome.wrong_elements, outcome.first_wrong};
  if (outcome.wrong_elements == 0) return;
  record.status = RowStatus::wrong;
  record.reason = fmt::format("{} wrong of {} elements, the first: {}", outcome.wrong_elements,
                              outcome.checked_elements, outcome.first_wrong);
}

void add_prediction(StepRecord& record, const StepContext& context, const plan::Plan& plan) {
  plan::Costs costs = context.options.costs;
  if (context.options.replay.compute == replay::Compute::none) {
    costs.compute.flops = std::numeric_limits<double>::infinity();
  } else if (!context.options.rate_is_given &&
             context.options.replay.compute == replay::Compute::gemm && record.computing &&
             record.computing->median_s > 0) {
    costs.compute.flops = most_flops(plan) / record.computing->median_s;
  }
  const plan::StepTimes times = plan::predict_step(plan, costs);
  record.prediction =
      StepPrediction{times.step_s, times.compute_s, times.bubble_s, times.exposed_s};
}

}  // namespace collbench
