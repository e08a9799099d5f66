// SPDX-License-Identifier: Apache-2.0
// CompareRules: from when on a difference counts. Data, read from JSON; the defaults are the file
// src/analysis/compare_rules.json, which is built in.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/measurement_key.h"

namespace collbench {

/// Operations of similar size behave alike: what latency decides, and what bandwidth does.
struct SizeClass {
  std::string name;
  std::optional<Bytes> most_bytes;  // absent: the last one, of all that are larger

  bool operator==(const SizeClass&) const = default;
};

/// The class of training steps, which have no one size.
inline constexpr std::string_view kStepClass = "step";

/// How much slower is a regression and how much faster an improvement. The first that fits counts.
struct CompareThreshold {
  std::string subject;     // "all_reduce", "zero"; empty: of all
  std::string size_class;  // empty: of all
  double slower = 0.03;    // (new - base) / base
  double faster = 0.03;    // (base - new) / new: 3 % faster is 3 % slower the other way round

  bool operator==(const CompareThreshold&) const = default;
};

struct CompareRules {
  std::vector<SizeClass> size_classes;       // by size, the last without an end
  std::vector<CompareThreshold> thresholds;  // the last one fits everything
  /// Of the rows that are called slower (or faster), the share that may be so by chance
  /// (Benjamini and Hochberg 1995); where nothing changed: how often any row is.
  double row_false_discovery = 0;
  /// Likewise of families: the rows of one subject and size class together.
  double family_false_discovery = 0;
  /// The least relative standard deviation between launches that is believed: few launches can
  /// agree by chance.
  double least_launch_noise = 0;

  bool operator==(const CompareRules&) const = default;
};

/// The text of the defaults, as --print-rules prints it.
std::string_view default_compare_rules_text();

/// Throws UserError of one sentence, with the place in the file, for anything that cannot be meant:
/// unknown keys among it.
CompareRules parse_compare_rules(std::string_view text);

/// Throws UserError for a threshold whose subject is none of these: a name with a slip would be of
/// no row, and the rows that are meant be judged by another threshold.
void require_subjects(const CompareRules& rules, const std::set<std::string>& known);

/// The name of a row's size class; of steps, kStepClass. Lives as long as the rules.
std::string_view class_of(const CompareRules& rules, const MeasurementKey& key);

const CompareThreshold& threshold_of(const CompareRules& rules, const MeasurementKey& key);

}  // namespace collbench
