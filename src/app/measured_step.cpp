// SPDX-License-Identifier: Apache-2.0
#include "app/measured_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/step_costs.h"
#include "model/memory.h"
#include "plan/axis_times.h"
#include "plan/only_axes.h"
#include "plan/placement.h"
#include "plan/scheme_facts.h"
#include "plan/totals.h"
#include "plan/variants.h"
#include "replay/slot_memory.h"
#include "replay/timelines.h"
#include "results/row_flags.h"
#include "statistics/series.h"

namespace collbench {
namespace {

StepSeries series_of(const std::vector<double>& samples_s) {
  return {.samples_s = samples_s,
          .median_s = statistics::median(samples_s),
          .interval95_s = statistics::dependent_median_interval(samples_s)};
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
  if (context.options.replay.compute == replay::Compute::busy) {
    key.busy_flops = context.options.costs.compute.flops;
  }
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

// Where the ranks are, or where the command line has them.
std::vector<int> nodes_of(const StepContext& context, int ranks) {
  if (context.options.nodes_are_given) {
    return plan::nodes_in_order(ranks, context.options.costs.links.ranks_per_node);
  }
  return context.host_of_rank;
}

template <class Value>
double mean_of(const plan::Plan& plan, const plan::DistinctExchange& exchange, const Value& value) {
  double sum = 0;
  for (const plan::Exchange& each : exchange.exchanges) {
    const plan::MessageRef& ref = each.members.front();
    sum += value(plan.classes[ref.rank_class].ops[ref.op].messages[ref.message]);
  }
  return sum / static_cast<double>(exchange.exchanges.size());
}

Bytes mean_bytes(const plan::Plan& plan, const plan::DistinctExchange& exchange) {
  if (exchange.message.matrix == plan::kNoMatrix) {
    return plan::message_bytes(plan, exchange.message);
  }
  return static_cast<Bytes>(mean_of(plan, exchange, [&](const plan::Message& message) {
    return static_cast<double>(plan::message_bytes(plan, message));
  }));
}

double mean_max_over_mean(const plan::Plan& plan, const plan::DistinctExchange& exchange) {
  return mean_of(plan, exchange, [&](const plan::Message& message) {
    return traffic::max_over_mean(plan.matrices[message.matrix]);
  });
}

}  // namespace

StepSeries series_of(const replay::StepSamples& samples) { return series_of(samples.values_s); }

StepRecord blank_step(const StepContext& context, const plan::Plan& plan) {
  StepRecord record;
  record.key = key_of(context, plan);
  add_bytes(record, context, plan);
  record.model_bytes =
      plan::state_bytes(context.options.model, plan.layout, context.options.scheme);
  record.tokens = plan.step.micro_batch * static_cast<Count>(plan.step.micro_batches) *
                  plan.step.sequence * static_cast<Count>(plan.layout.dp);
  record.placement = plan::placement(plan, nodes_of(context, record.key.ranks));
  record.left_out = plan.left_out;
  record.flags = context.flags;
  if (model::misplaced(record.placement)) record.flags.emplace_back(row_flags::misplaced.name);
  return record;
}

void add_samples(StepRecord& record, const LayoutSamples& samples) {
  record.step = series_of(samples.step);
  record.rank_median_s = rank_medians(samples.step, record.key.ranks);
  if (!samples.variants) return;
  record.computing = series_of(samples.variants->computing);
  record.skeleton = series_of(samples.variants->skeleton);
  record.communication = series_of(samples.variants->communication);
  record.latency = series_of(samples.variants->latency);
}

void add_messages(StepRecord& record, const plan::Plan& plan,
                  const std::vector<MessageTime>& messages) {
  for (const MessageTime& samples : messages) {
    const plan::Message& message = samples.exchange.message;
    const auto& per_step = samples.exchange.per_step;
    StepMessage row;
    row.operation = plan::name_of(message);
    row.axis = message.axis;
    row.group_size = model::size_of(plan.layout, message.axis);
    row.type = message.type;
    row.message_bytes = mean_bytes(plan, samples.exchange);
    if (message.matrix != plan::kNoMatrix) {
      row.uneven = Uneven{mean_max_over_mean(plan, samples.exchange), samples.even_s};
    }
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
  if (record.key.compute == name_of(replay::Compute::none)) return;  // no company
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

void add_axes(StepRecord& record, const std::vector<AxisLoadTimes>& loads) {
  for (const AxisLoadTimes& times : loads) {
    AxisLoad load{.axes = times.axes, .step = series_of(times.step_s)};
    for (std::size_t axis = 0; axis < times.axes.size(); ++axis) {
      std::vector<double> of_axis_s;
      for (const auto& sample_s : times.busy_s) of_axis_s.push_back(sample_s[axis]);
      load.busy.push_back(series_of(of_axis_s));
    }
    record.axis_loads.push_back(std::move(load));
  }
}

void predict_axes(std::vector<AxisLoad>& loads, const plan::Plan& plan, const plan::Costs& costs) {
  for (AxisLoad& load : loads) {
    load.predicted_busy_s =
        plan::predicted_axis_times(plan::only_axes(plan, load.axes), load.axes, costs);
  }
}

void add_check(StepRecord& record, const CheckOutcome& outcome) {
  record.check = DataCheck{outcome.checked_elements, outcome.wrong_elements, outcome.first_wrong};
  if (outcome.wrong_elements == 0) return;
  record.status = RowStatus::wrong;
  record.reason = fmt::format("{} wrong of {} elements, the first: {}", outcome.wrong_elements,
                              outcome.checked_elements, outcome.first_wrong);
}

void add_prediction(StepRecord& record, const StepContext& context, const plan::Plan& plan) {
  const auto costs = costs_of(record, context, plan);
  if (!costs) return;
  const bool by_flags =
      context.options.links_are_given || !context.options.costs.links.measured.empty();
  const plan::StepTimes whole = plan::predict_step(plan, *costs);
  const double skeleton_s = plan::predict_step(plan::skeleton(plan), *costs).step_s;
  record.prediction =
      StepPrediction{whole.step_s, whole.compute_s, skeleton_s - whole.compute_s,
                     whole.step_s - skeleton_s, by_flags ? LinksFrom::flags : LinksFrom::messages};
  predict_axes(record.axis_loads, plan, *costs);
}

}  // namespace collbench
