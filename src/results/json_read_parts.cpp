// SPDX-License-Identifier: Apache-2.0
#include "results/json_read_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/units.h"
#include "statistics/description.h"

namespace collbench {
namespace {

/// That each statistic there is follows from the samples, seconds.
void require_description(const JsonNode& time_us, std::vector<double> samples) {
  std::transform(samples.begin(), samples.end(), samples.begin(), us_from_s);
  std::sort(samples.begin(), samples.end());  // once: sorting what is sorted is fast
  const statistics::Description is = statistics::describe(samples);
  const auto require = [&](const char* key, std::optional<double> expected) {
    const auto number = time_us.find(key);
    if (number && expected) require_follows(*number, key, *expected);
  };
  require("median", is.median);
  require("min", is.min);
  require("q1", is.q1);
  require("mean", is.mean);
  require("q3", is.q3);
  require("p95", is.p95);
  require("p99", is.p99);
  require("max", is.max);
}

}  // namespace

std::optional<std::uint64_t> optional_count(const JsonNode& node, const char* key) {
  const auto member = node.find(key);
  return member ? std::optional(member->count()) : std::nullopt;
}

std::optional<int> optional_integer(const JsonNode& node, const char* key) {
  const auto member = node.find(key);
  return member ? std::optional(member->integer()) : std::nullopt;
}

std::optional<double> optional_number(const JsonNode& node, const char* key) {
  const auto member = node.find(key);
  return member ? std::optional(member->number()) : std::nullopt;
}

std::optional<double> optional_us(const JsonNode& node, const char* key) {
  const auto member = node.find(key);
  return member ? std::optional(s_from_us(member->number())) : std::nullopt;
}

std::vector<double> seconds(const JsonNode& microseconds) {
  std::vector<double> values = microseconds.numbers();
  std::transform(values.begin(), values.end(), values.begin(), s_from_us);
  return values;
}

std::vector<double> read_samples(const JsonNode& time_us, const JsonNode& samples_us) {
  std::vector<double> samples = seconds(samples_us);
  if (samples.empty()) samples_us.say("expected at least one sample");
  const JsonNode n = time_us.at("n");
  if (n.count() != samples.size()) {
    n.say(fmt::format("expected {}, the number of samples", samples.size()));
  }
  require_description(time_us, samples);
  return samples;
}

void require_follows(const JsonNode& number, std::string_view what, double expected) {
  // Files keep six decimals; a sum of many values loses some of its last bits.
  const double slack = 2e-6 + 1e-9 * std::abs(expected);
  if (std::abs(us_from_s(s_from_us(number.number())) - expected) <= slack) return;
  number.say(fmt::format("contradicts the samples, whose {} is {}", what,
                         std::nearbyint(expected * 1e6) / 1e6));
}

std::optional<statistics::Interval> read_interval(const JsonNode& time_us) {
  const auto node = time_us.find("ci95");
  if (!node) return std::nullopt;
  const std::vector<double> bounds = seconds(*node);
  if (bounds.size() != 2) node->say("expected two numbers, low and high");
  const double median = s_from_us(time_us.at("median").number());
  if (!(bounds[0] <= median && median <= bounds[1])) {
    node->say("expected an interval around the median");
  }
  return statistics::Interval{bounds[0], bounds[1]};
}

TimeSeries read_series(const JsonNode& node) {
  const JsonNode time = node.at("time_us");
  TimeSeries series{.samples_s = read_samples(time, node.at("samples_us")),
                    .median_s = s_from_us(time.at("median").number()),
                    .interval95_s = read_interval(time)};
  const bool negative =
      series.median_s < 0 || std::ranges::any_of(series.samples_s, [](double s) { return s < 0; });
  if (negative) node.say("expected times of 0 or more");
  return series;
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

}  // namespace collbench
