// SPDX-License-Identifier: Apache-2.0
#include "routing/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/errors.h"
#include "base/named_rows.h"

namespace collbench::routing {
namespace {

constexpr double kLeastCapacity = 0.01, kMostCapacity = 1000;

template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// "zipf:1.2" as name and value.
struct Word {
  std::string_view name, value;
  bool has_value = false;
};

Word split(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, {}, false};
  return {text.substr(0, colon), text.substr(colon + 1), true};
}

/// The text up to the next comma, which is taken off `text` with it.
std::string_view next_word(std::string_view& text) {
  const std::size_t comma = text.find(',');
  const std::string_view word = text.substr(0, comma);
  text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  return word;
}

void read_distribution(const Word& word, std::string_view flag, RoutingSpec& spec) {
  const DistributionRow& row = find_named(kDistributions, word.name, flag, "routing of tokens");
  if (row.parameter.empty() == word.has_value) {
    throw UserError(
        word.has_value
            ? fmt::format("{} {}: nothing can follow it but a comma", flag, row.name)
            : fmt::format("{} {}: give it as {}", flag, row.name, named_with_parameter(row)));
  }
  spec.distribution = row.distribution;
  if (row.distribution == Distribution::file) {
    if (word.value.empty()) throw UserError(fmt::format("{} file: the path is empty", flag));
    spec.path = word.value;
  } else if (word.has_value) {
    const std::optional<double> value = read_number<double>(word.value);
    if (!value || !(*value >= row.least && *value <= row.most)) {
      throw UserError(fmt::format("{} {}: the {} '{}' is no number from {} to {}", flag, row.name,
                                  row.parameter, word.value, row.least, row.most));
    }
    spec.parameter = *value;
  }
}

std::uint64_t read_seed(std::string_view text, std::string_view flag) {
  if (const auto seed = read_number<std::uint64_t>(text)) return *seed;
  throw UserError(fmt::format("{} seed: '{}' is no whole number below 2^64", flag, text));
}

GroupLimit read_groups(std::string_view text, std::string_view flag) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const int groups = read_number<int>(text.substr(0, slash)).value_or(0);
  const int per_token = read_number<int>(text.substr(std::min(slash + 1, text.size()))).value_or(0);
  if (per_token < 1 || groups < per_token) {
    throw UserError(fmt::format(
        "{} groups: '{}' does not say how many groups of experts there are and how many of them a "
        "token uses; give it as 8/4",
        flag, text));
  }
  return {groups, per_token};
}

double read_capacity(std::string_view text, std::string_view flag) {
  const auto capacity = read_number<double>(text);
  if (capacity && *capacity >= kLeastCapacity && *capacity <= kMostCapacity) return *capacity;
  throw UserError(fmt::format("{} capacity: the factor '{}' is no number from {} to {}", flag, text,
                              kLeastCapacity, kMostCapacity));
}

void refuse_twice(bool given, const Word& word, std::string_view flag) {
  if (given) throw UserError(fmt::format("{}: {} is given twice", flag, word.name));
}

}  // namespace

std::string named_with_parameter(const DistributionRow& row) {
  return row.parameter.empty() ? std::string(row.name)
                               : fmt::format("{}:{}", row.name, row.parameter);
}

RoutingSpec parse_routing_spec(std::string_view text, std::string_view flag) {
  RoutingSpec spec;
  std::optional<std::uint64_t> seed;
  bool goes_on = text.find(',') != std::string_view::npos;
  read_distribution(split(next_word(text)), flag, spec);
  while (goes_on) {
    goes_on = text.find(',') != std::string_view::npos;
    const Word word = split(next_word(text));
    if (word.name == "seed") {
      refuse_twice(seed.has_value(), word, flag);
      seed = read_seed(word.value, flag);
    } else if (word.name == "groups") {
      refuse_twice(spec.groups.has_value(), word, flag);
      spec.groups = read_groups(word.value, flag);
    } else if (word.name == "capacity") {
      refuse_twice(spec.capacity.has_value(), word, flag);
      spec.capacity = read_capacity(word.value, flag);
    } else {
      throw UserError(fmt::format(
          "{}: '{}' cannot follow a distribution; seed:N, groups:N/K and capacity:FACTOR can", flag,
          word.name));
    }
  }
  if (seed && spec.distribution == Distribution::file) {
    throw UserError(fmt::format("{} file: nothing is drawn, so leave out the seed", flag));
  }
  if (spec.groups && spec.distribution == Distribution::file) {
    throw UserError(fmt::format("{} file: nothing is drawn, so leave out the groups", flag));
  }
  spec.seed = seed.value_or(kUsualSeed);
  return spec;
}

std::string to_text(const RoutingSpec& spec) {
  const DistributionRow& row = row_of(spec.distribution);
  std::string text(row.name);
  if (spec.distribution == Distribution::file) {
    text += ":" + spec.path;
  } else if (!row.parameter.empty()) {
    text += fmt::format(":{}", spec.parameter);
  }
  if (spec.seed != kUsualSeed) text += fmt::format(",seed:{}", spec.seed);
  if (spec.groups)
    text += fmt::format(",groups:{}/{}", spec.groups->groups, spec.groups->per_token);
  if (spec.capacity) text += fmt::format(",capacity:{}", *spec.capacity);
  return text;
}

}  // namespace collbench::routing
