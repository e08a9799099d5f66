// SPDX-License-Identifier: Apache-2.0
#include "results/json_read_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/named_rows.h"
#include "results/units.h"

namespace collbench {
namespace {

/// An enumerator by its name in a table of rows.
template <class Rows>
const auto& named(const Rows& rows, const JsonNode& node, std::string_view noun) {
  return find_named(rows, node.text(), node.place(), noun);
}

std::vector<double> seconds(const JsonNode& microseconds) {
  std::vector<double> values = microseconds.numbers();
  std::transform(values.begin(), values.end(), values.begin(), s_from_us);
  return values;
}

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

std::optional<statistics::Interval> read_interval(const JsonNode& time) {
  const auto node = time.find("ci95");
  if (!node) return std::nullopt;
  const std::vector<double> bounds = seconds(*node);
  if (bounds.size() != 2) node->say("expected two numbers, low and high");
  return statistics::Interval{bounds[0], bounds[1]};
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
}

std::vector<double> read_series(const JsonNode& row, const char* key) {
  const auto series = row.find(key);
  if (!series) return {};
  return seconds(series->at("samples"));
}

Timing read_timing(const JsonNode& row, const JsonNode& time, int ranks) {
  Timing timing;
  timing.operations_per_sample = row.at("operations_per_sample").count();
  timing.warmup_operations = row.at("warmup_operations").count();
  timing.walked_bytes = row.at("walked_bytes").count();
  timing.stop_reason = row.at("stop_reason").text();
  const JsonNode samples = row.at("samples_us");
  timing.samples_s = seconds(samples);
  if (timing.samples_s.empty()) samples.say("expected at least one sample");
  if (time.at("n").count() != timing.samples_s.size()) {
    time.at("n").say(fmt::format("expected {}, the number of samples", timing.samples_s.size()));
  }
  timing.mean_over_ranks_s = read_series(row, "mean_over_ranks_us");
  timing.max_over_ranks_s = read_series(row, "max_over_ranks_us");
  timing.median_s = s_from_us(time.at("median").number());
  timing.interval95_s = read_interval(time);
  timing.enqueue_s = read_series(row, "enqueue_us");
  timing.device_s = read_series(row, "device_us");
  if (const auto share = row.find("enqueue_share")) timing.enqueue_share = share->number();
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

std::optional<double> read_bandwidth(const JsonNode& row, const char* key) {
  const auto rate = row.find(key);
  if (!rate || rate->is_null()) return std::nullopt;
  return Bps_from_GBps(rate->number());
}

std::optional<DataCheck> read_check(const JsonNode& row) {
  const auto check = row.find("check");
  if (!check) return std::nullopt;
  return DataCheck{.checked_elements = check->at("checked_elements").count(),
                   .wrong_elements = check->at("wrong_elements").count(),
                   .first_wrong = check->text_or_empty("first_wrong")};
}

std::optional<DeviceState> read_device_state(const JsonNode& row) {
  const auto clock = row.find("device_clock_MHz");
  if (!clock) return std::nullopt;
  const auto reasons = row.find("throttled_by");
  return DeviceState{.clock_MHz = clock->number(),
                     .throttled_by = reasons ? reasons->texts() : std::vector<std::string>()};
}

}  // namespace

Record read_row(const JsonNode& row) {
  Record record;
  record.key = read_key(row);
  record.requested_bytes = row.at("requested_bytes").count();
  record.status = named(kRowStatuses, row.at("status"), "row status").status;
  record.reason = row.text_or_empty("reason");
  if (const auto load = row.find("load_max_over_mean")) record.load_max_over_mean = load->number();
  const auto time = row.find("time_us");
  if (time) record.timing = read_timing(row, *time, record.key.ranks);
  if (!time && record.status == RowStatus::ok) row.at("time_us");
  record.algorithm_bandwidth_Bps = read_bandwidth(row, "algbw_GBps");
  record.bus_bandwidth_Bps = read_bandwidth(row, "busbw_GBps");
  record.check = read_check(row);
  record.device_state = read_device_state(row);
  if (const auto cycle = row.find("cycle")) record.cycle = cycle->count();
  record.flags = row.at("flags").texts();
  record.ended = row.text_or_empty("ended");
  return record;
}

}  // namespace collbench
