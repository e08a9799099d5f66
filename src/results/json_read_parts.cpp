// SPDX-License-Identifier: Apache-2.0
#include "results/json_read_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "results/units.h"

namespace collbench {

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
  return samples;
}

std::optional<statistics::Interval> read_interval(const JsonNode& time_us) {
  const auto node = time_us.find("ci95");
  if (!node) return std::nullopt;
  const std::vector<double> bounds = seconds(*node);
  if (bounds.size() != 2) node->say("expected two numbers, low and high");
  return statistics::Interval{bounds[0], bounds[1]};
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
