// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "results/json_node.h"

namespace collbench {
namespace {

constexpr std::string_view kSchemaName = "collbench.compare-rules";
constexpr std::string_view kSchemaVersion = "1.0";

/// A share from percent, above 0 and at most `most_pct`.
double share_of(const JsonNode& node, double most_pct) {
  const double percent = node.number();
  if (percent <= 0 || percent > most_pct) {
    node.say(fmt::format("{:g} must be above 0 and at most {:g} percent", percent, most_pct));
  }
  return percent / 100;
}

void require_version(const JsonNode& root) {
  if (root.at("schema").text() != kSchemaName) {
    root.at("schema").say(fmt::format("must be \"{}\"", kSchemaName));
  }
  if (root.at("schema_version").text() != kSchemaVersion) {
    root.at("schema_version").say(fmt::format("must be \"{}\"", kSchemaVersion));
  }
}

std::vector<SizeClass> size_classes(const JsonNode& list) {
  std::vector<SizeClass> classes;
  for (const JsonNode& node : list.elements()) {
    node.only({"name", "most_bytes"});
    SizeClass added = {.name = node.at("name").text(), .most_bytes = std::nullopt};
    if (const auto most = node.find("most_bytes")) added.most_bytes = most->count();
    const bool is_known = std::any_of(classes.begin(), classes.end(), [&](const SizeClass& known) {
      return known.name == added.name;
    });
    if (added.name.empty() || added.name == kStepClass || is_known) {
      node.say("its name must be one of its own, and not \"step\", the class of training steps");
    }
    if (!classes.empty() && !classes.back().most_bytes) {
      node.say("stands after a class without most_bytes, which takes all sizes");
    }
    if (!classes.empty() && added.most_bytes && *added.most_bytes <= *classes.back().most_bytes) {
      node.say("its most_bytes must be above those of the class before it");
    }
    classes.push_back(std::move(added));
  }
  if (classes.empty() || classes.back().most_bytes) {
    list.say("the last class must be without most_bytes, for all larger sizes");
  }
  return classes;
}

std::string known_class(const JsonNode& node, const std::vector<SizeClass>& classes) {
  const auto name = node.find("size_class");
  if (!name) return "";
  const std::string text = name->text();
  const bool is_known =
      text == kStepClass || std::any_of(classes.begin(), classes.end(),
                                        [&](const SizeClass& known) { return known.name == text; });
  if (!is_known) name->say(fmt::format("\"{}\" is none of size_classes, nor \"step\"", text));
  return text;
}

std::vector<CompareThreshold> thresholds(const JsonNode& list,
                                         const std::vector<SizeClass>& classes) {
  constexpr double kMostPct = 1000;
  std::vector<CompareThreshold> found;
  for (const JsonNode& node : list.elements()) {
    node.only({"subject", "size_class", "slower_pct", "faster_pct"});
    if (!found.empty() && found.back().subject.empty() && found.back().size_class.empty()) {
      node.say("stands after a threshold without subject and size_class, which fits every row");
    }
    found.push_back({.subject = node.text_or_empty("subject"),
                     .size_class = known_class(node, classes),
                     .slower = share_of(node.at("slower_pct"), kMostPct),
                     .faster = share_of(node.at("faster_pct"), kMostPct)});
  }
  if (found.empty() || !found.back().subject.empty() || !found.back().size_class.empty()) {
    list.say("the last threshold must be without subject and size_class, for all other rows");
  }
  return found;
}

}  // namespace

std::string_view default_compare_rules_text() {
  return
#include "compare_rules.json.inc"
      ;
}

CompareRules parse_compare_rules(std::string_view text) {
  const ParsedJson json(text);
  const JsonNode root = json.root();
  require_version(root);
  root.only({"schema", "schema_version", "size_classes", "thresholds", "row_false_discovery_pct",
             "family_false_discovery_pct", "least_launch_noise_pct"});
  CompareRules rules;
  rules.size_classes = size_classes(root.at("size_classes"));
  rules.thresholds = thresholds(root.at("thresholds"), rules.size_classes);
  rules.row_false_discovery = share_of(root.at("row_false_discovery_pct"), 50);
  rules.family_false_discovery = share_of(root.at("family_false_discovery_pct"), 50);
  rules.least_launch_noise = share_of(root.at("least_launch_noise_pct"), 100);
  return rules;
}

void require_subjects(const CompareRules& rules, const std::set<std::string>& known) {
  for (std::size_t i = 0; i < rules.thresholds.size(); ++i) {
    const std::string& subject = rules.thresholds[i].subject;
    if (subject.empty() || known.count(subject) > 0) continue;
    throw UserError(
        fmt::format("--rules: /thresholds/{}/subject: '{}' is no collective or scheme; "
                    "choose from {}",
                    i, subject, fmt::join(known, ", ")));
  }
}

std::string_view class_of(const CompareRules& rules, const MeasurementKey& key) {
  const std::optional<Bytes> bytes = message_bytes_of(key);
  if (!bytes) return kStepClass;
  return std::find_if(
             rules.size_classes.begin(), rules.size_classes.end(),
             [&](const SizeClass& size) { return !size.most_bytes || *bytes <= *size.most_bytes; })
      ->name;
}

const CompareThreshold& threshold_of(const CompareRules& rules, const MeasurementKey& key) {
  const std::string_view size_class = class_of(rules, key);
  return *std::find_if(
      rules.thresholds.begin(), rules.thresholds.end(), [&](const CompareThreshold& threshold) {
        return (threshold.subject.empty() || threshold.subject == subject_of(key)) &&
               (threshold.size_class.empty() || threshold.size_class == size_class);
      });
}

}  // namespace collbench
