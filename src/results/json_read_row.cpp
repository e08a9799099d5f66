// SPDX-License-Identifier: Apache-2.0
#include "results/json_read_row.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "results/json_read_parts.h"
#include "results/units.h"

namespace collbench {
namespace {

std::optional<GroupKey> read_group(const JsonNode& row) {
  const auto group = row.find("group");
  if (!group) return std::nullopt;
  return GroupKey{.rule = group->at("rule").text(),
                  .index = group->at("index").integer(),
                  .count = group->at("count").integer()};
}

RowKey read_key(const JsonNode& row) {
  RowKey key;
  key.collective = row.at("collective").text();
  key.type = named(kDataTypes, row.at("type"), "data type").type;
  const JsonNode op = row.at("op");
  if (!op.is_null()) key.op = named(kReduceOps, op, "reduction").op;
  key.message_bytes = row.at("message_bytes").count();
  key.count = row.at("count").count();
  key.ranks = row.at("ranks").integer();
  key.nodes = row.at("nodes").integer();
  const JsonNode root = row.at("root");
  if (!root.is_null()) key.root = root.integer();
  key.in_place = row.at("in_place").boolean();
  key.backend = row.at("backend").text();
  key.mode = row.at("mode").text();
  key.aggregation = row.at("aggregation").text();
  if (const auto ranks = row.find("ranks_per_process")) key.ranks_per_process = ranks->integer();
  if (const auto grouped = row.find("grouped_operations"))
    key.grouped_operations = grouped->count();
  if (const auto offset = row.find("offset_elements")) key.offset_elements = offset->count();
  key.matrix = row.text_or_empty("matrix");
  key.group = read_group(row);
  return key;
}

void read_per_rank(const JsonNode& row, int ranks, Timing& timing) {
  const auto per_rank = row.find("per_rank");
  if (!per_rank) return;
  const JsonNode medians = per_rank->at("median_us");
  timing.rank_median_s = seconds(medians);
  const JsonNode counts = per_rank->at("last_count");
  timing.rank_last_count = counts.counts();
  const auto n = static_cast<std::size_t>(ranks);
  if (timing.rank_median_s.size() != n) medians.say(fmt::format("expected {} numbers", n));
  if (timing.rank_last_count.size() != n) counts.say(fmt::format("expected {} numbers", n));
  // One at a time, since their sum may be no number of 64 bits.
  std::uint64_t left = timing.samples_s.size();
  for (const std::uint64_t count : timing.rank_last_count) {
    if (count > left) counts.say(fmt::format("more than the {} samples", timing.samples_s.size()));
    left -= count;
  }
}

std::vector<double> read_series(const JsonNode& row, const char* key) {
  const auto series = row.find(key);
  if (!series) return {};
  std::vector<double> samples = seconds(series->at("samples"));
  const auto median = series->find("median");
  if (median && !samples.empty()) {
    require_follows(*median, "median", us_from_s(statistics::median(samples)));
  }
  return samples;
}

Timing read_timing(const JsonNode& row, const JsonNode& time, int ranks) {
  Timing timing;
  timing.operations_per_sample = row.at("operations_per_sample").count();
  timing.warmup_operations = row.at("warmup_operations").count();
  timing.walked_bytes = row.at("walked_bytes").count();
  timing.stop_reason = row.at("stop_reason").text();
  timing.samples_s = read_samples(time, row.at("samples_us"));
  timing.mean_over_ranks_s = read_series(row, "mean_over_ranks_us");
  timing.max_over_ranks_s = read_series(row, "max_over_ranks_us");
  timing.median_s = s_from_us(time.at("median").number());
  timing.interval95_s = read_interval(time);
  timing.enqueue_s = read_series(row, "enqueue_us");
  timing.device_s = read_series(row, "device_us");
  timing.enqueue_share = optional_number(row, "enqueue_share");
  timing.iteration_s = read_series(row, "iterations_us");
  if (const auto iterations = row.find("iterations_us")) {
    const JsonNode skipped = iterations->at("skipped");
    timing.skipped_iterations = skipped.count();
    if (timing.skipped_iterations >= timing.iteration_s.size()) {
      skipped.say(
          fmt::format("expected less than {}, the number of samples", timing.iteration_s.size()));
    }
  }
  if (const auto skew = row.find("alignment_skew_us")) {
    timing.exit_skew = {s_from_us(skew->at("median").number()),
                        s_from_us(skew->at("max").number())};
  }
  read_per_rank(row, ranks, timing);
  return timing;
}

std::optional<DeviceState> read_device_state(const JsonNode& row) {
  const auto clock = row.find("device_clock_MHz");
  if (!clock) return std::nullopt;
  const auto reasons = row.find("throttled_by");
  return DeviceState{.clock_MHz = clock->number(),
                     .throttled_by = reasons ? reasons->texts() : std::vector<std::string>()};
}

// What is derived from the times is derived again.
std::optional<Interference> read_interference(const JsonNode& row) {
  const auto node = row.find("interference");
  if (!node) return std::nullopt;
  const JsonNode other = node->at("other");
  return Interference{.operation = node->at("operation").text(),
                      .groups = node->at("groups").text(),
                      .message_bytes = node->at("message_bytes").count(),
                      .beside = read_series(node->at("beside")),
                      .other_alone = read_series(other.at("alone")),
                      .other_beside = read_series(other.at("beside"))};
}

}  // namespace

Record read_row(const JsonNode& row) {
  Record record;
  record.key = read_key(row);
  record.requested_bytes = row.at("requested_bytes").count();
  record.status = named(kRowStatuses, row.at("status"), "row status").status;
  record.reason = row.text_or_empty("reason");
  record.load_max_over_mean = optional_number(row, "load_max_over_mean");
  const auto time = row.find("time_us");
  if (time) record.timing = read_timing(row, *time, record.key.ranks);
  if (!time && record.status == RowStatus::ok) row.at("time_us");
  record.algorithm_bandwidth_Bps = read_bandwidth(row, "algbw_GBps");
  record.bus_bandwidth_Bps = read_bandwidth(row, "busbw_GBps");
  if (const auto rate = row.find("nic_GBps")) record.nic_Bps = Bps_from_GBps(rate->number());
  record.check = read_check(row);
  record.interference = read_interference(row);
  record.device_state = read_device_state(row);
  record.cycle = optional_count(row, "cycle");
  record.flags = row.at("flags").texts();
  record.ended = row.text_or_empty("ended");
  return record;
}

}  // namespace collbench
