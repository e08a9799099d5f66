// SPDX-License-Identifier: Apache-2.0
#include "app/measured_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "results/row_flags.h"
#include "statistics/series.h"
#include "traffic/sizes.h"

namespace collbench {
namespace {

// Nothing where several are the last together: a coarse clock cannot tell them apart.
std::optional<std::size_t> slowest_rank(const std::vector<double>& by_rank) {
  const auto last = std::max_element(by_rank.begin(), by_rank.end());
  if (std::find(last + 1, by_rank.end(), *last) != by_rank.end()) return std::nullopt;
  return static_cast<std::size_t>(std::distance(by_rank.begin(), last));
}

// How each rank fared, sample by sample.
void add_ranks(Timing& timing, const Samples& samples) {
  const std::size_t ranks = samples.by_sample_s.front().size();
  timing.rank_last_count.assign(ranks, 0);
  for (const std::vector<double>& by_rank : samples.by_sample_s) {
    const auto slowest = slowest_rank(by_rank);
    if (slowest) ++timing.rank_last_count[*slowest];
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::vector<double> of_rank;
    for (const auto& by_rank : samples.by_sample_s) of_rank.push_back(by_rank[rank]);
    timing.rank_median_s.push_back(statistics::median(of_rank));
  }
}

// What other readers take for the time, unless the samples are that already.
void add_over_ranks(Timing& timing, const Samples& samples, Aggregation taken) {
  const auto all = [&](Aggregation aggregation) {
    std::vector<double> values;
    if (aggregation == taken) return values;
    for (const auto& by_rank : samples.by_sample_s) {
      values.push_back(aggregate(aggregation, by_rank));
    }
    return values;
  };
  timing.mean_over_ranks_s = all(Aggregation::mean);
  timing.max_over_ranks_s = all(Aggregation::max);
}

}  // namespace

Record blank_record(const RowContext& context, const Setting& setting, const SweepSize& size,
                    bool in_place) {
  const traffic::Traffic& traffic = context.operation.traffic;
  Record record;
  record.key.collective = traffic.name;
  record.key.type = setting.type;
  if (traffic.reduces) record.key.op = setting.op;
  if (traffic.rooted) record.key.root = setting.root;
  record.key.matrix = context.matrix;
  record.key.group = context.group;
  record.key.message_bytes = size.message_bytes;
  record.key.count = size.count;
  record.key.ranks = setting.ranks;
  record.key.nodes = context.nodes;
  record.key.in_place = in_place;
  record.key.backend = context.backend;
  record.key.ranks_per_process = context.ranks_per_process;
  record.key.mode = name_of(context.method.mode);
  record.key.grouped_operations = context.method.grouped_operations;
  record.key.offset_elements = context.method.offset_elements;
  record.key.aggregation = name_of(context.method.aggregation);
  record.requested_bytes = size.requested_bytes;
  if (setting.exchange != nullptr && size.message_bytes != 0) {
    record.load_max_over_mean = traffic::max_over_mean(setting.exchange->elements);
  }
  record.flags = context.flags;
  if (size.in_pieces) record.flags.emplace_back(row_flags::in_pieces.name);
  record.reason = size.skip_reason;
  if (record.reason.empty() && in_place) record.reason = traffic::why_not_in_place(traffic);
  if (!record.reason.empty()) record.status = RowStatus::skipped;
  return record;
}

void add_times(Record& record, const Method& method, const Samples& samples) {
  Timing timing;
  timing.operations_per_sample = samples.operations_per_sample;
  timing.warmup_operations = samples.warmup_operations;
  timing.walked_bytes = samples.walked_bytes;
  timing.samples_s = samples.values_s;
  timing.median_s = statistics::median(timing.samples_s);
  timing.interval95_s = statistics::dependent_median_interval(timing.samples_s);
  timing.enqueue_s = samples.enqueue_s;
  timing.device_s = samples.device_s;
  if (!samples.enqueue_share.empty()) {
    timing.enqueue_share = statistics::median(samples.enqueue_share);
  }
  timing.iteration_s = samples.iteration_s;
  timing.skipped_iterations = samples.iteration_s.empty() ? 0 : method.skipped_iterations;
  if (!samples.exit_skew_s.empty()) {
    timing.exit_skew = {statistics::median(samples.exit_skew_s),
                        statistics::quantile(samples.exit_skew_s, 1)};
  }
  timing.stop_reason = name_of(samples.stop);
  add_ranks(timing, samples);
  add_over_ranks(timing, samples, method.aggregation);
  for (std::string& flag : flags_of(timing)) record.flags.push_back(std::move(flag));
  record.timing = std::move(timing);
}

void add_samples(Record& record, const RowContext& context, const Samples& samples) {
  add_times(record, context.method, samples);
  const double median_s = record.timing->median_s;
  if (median_s > 0) {  // a clock too coarse for the operation gives no bandwidth
    const double algorithm_Bps = static_cast<double>(record.key.message_bytes) / median_s;
    record.algorithm_bandwidth_Bps = algorithm_Bps;
    if (context.nic_factor) record.nic_Bps = algorithm_Bps * *context.nic_factor;
    if (record.key.ranks > 1) {
      record.bus_bandwidth_Bps =
          algorithm_Bps * context.operation.traffic.bus_factor(record.key.ranks);
    }
  }
}

void add_copy_samples(Record& record, const Samples& samples) {
  add_times(record, {}, samples);
  const double median_s = record.timing->median_s;
  if (median_s <= 0) return;
  record.algorithm_bandwidth_Bps = static_cast<double>(record.key.message_bytes) / median_s;
}

void add_worst_state(Record& record, std::span<const DeviceState> of_ranks) {
  DeviceState worst = of_ranks.front();
  for (const DeviceState& state : of_ranks) {
    worst.clock_MHz = std::min(worst.clock_MHz, state.clock_MHz);
    for (const std::string& reason : state.throttled_by) {
      const auto found = std::find(worst.throttled_by.begin(), worst.throttled_by.end(), reason);
      if (found == worst.throttled_by.end()) worst.throttled_by.push_back(reason);
    }
  }
  if (!worst.throttled_by.empty()) record.flags.emplace_back(row_flags::throttled.name);
  record.device_state = std::move(worst);
}

void add_check(Record& record, const CheckOutcome& outcome) {
  if (!record.check) record.check.emplace();
  DataCheck& check = *record.check;
  check.checked_elements += outcome.checked_elements;
  check.wrong_elements += outcome.wrong_elements;
  if (check.first_wrong.empty()) check.first_wrong = outcome.first_wrong;
  if (check.wrong_elements > 0) {
    record.status = RowStatus::wrong;
    record.reason = fmt::format("{} wrong of {} elements, the first: {}", check.wrong_elements,
                                check.checked_elements, check.first_wrong);
  }
}

}  // namespace collbench
