// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <vector>

#include "analysis/compare_words.h"
#include "report/comparison_formats.h"
#include "report/escape.h"

namespace collbench {
namespace {

using report::html_text;  // escapes what XML wants escaped, and leaves no control characters

enum class Outcome { passed, failure, error, skipped };

Outcome outcome_of(ChangeVerdict verdict, bool allow_missing) {
  using enum ChangeVerdict;
  switch (verdict) {
    case regression:
      return Outcome::failure;
    case error:
      return Outcome::error;
    case missing:
      return allow_missing ? Outcome::skipped : Outcome::error;
    case suspect:
    case inconclusive:
    case incomparable:
    case fresh:
      return Outcome::skipped;
    case improvement:
    case unchanged:
      break;
  }
  return Outcome::passed;
}

struct TestCase {
  std::string name;
  Finding finding;
  Outcome outcome;
  std::string explanation;
};

struct Suite {
  std::vector<TestCase> cases;
  std::map<Outcome, std::size_t> counts;
};

std::string child(const TestCase& test) {
  const std::string why = html_text(test.explanation);
  const std::string_view verdict = name_of(test.finding.verdict);
  switch (test.outcome) {
    case Outcome::failure:
      return fmt::format("<failure type=\"{}\" message=\"{}\"/>", verdict, why);
    case Outcome::error:
      return fmt::format("<error type=\"{}\" message=\"{}\"/>", verdict, why);
    case Outcome::skipped:
      return fmt::format("<skipped message=\"{}: {}\"/>", verdict, why);
    case Outcome::passed:
      break;
  }
  return "";
}

std::string case_text(const std::string& suite, const TestCase& test) {
  return fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\">{}<system-out>{} ({}): {}</system-out>"
      "</testcase>\n",
      html_text(suite), html_text(test.name), child(test), name_of(test.finding.verdict),
      name_of(test.finding.reason), html_text(test.explanation));
}

std::string counts_text(std::size_t tests, const std::map<Outcome, std::size_t>& counts) {
  const auto count = [&](Outcome outcome) {
    const auto found = counts.find(outcome);
    return found == counts.end() ? 0 : found->second;
  };
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", tests,
                     count(Outcome::failure), count(Outcome::error), count(Outcome::skipped));
}

std::string suite_name(const MeasurementKey& key) {
  const auto* row = std::get_if<RowKey>(&key);
  if (row == nullptr) return subject_of(key);
  return fmt::format("{}/{}/ranks:{}", row->collective, row->mode, row->ranks);
}

/// What no row says, though the status does: a build server looks at cases alone, and takes a
/// report without any for a green one.
void add_whole(const Comparison& comparison, std::map<std::string, Suite>& suites) {
  const auto add = [&](const char* name, ChangeReason reason) {
    suites["comparison"].cases.push_back(
        {name, {ChangeVerdict::error, reason}, Outcome::error, summary_line(comparison)});
  };
  if (comparison.verdict == OverallVerdict::nothing_comparable) {
    add("something is comparable", ChangeReason::missing_row);
  }
  if (!comparison.complete) add("every run came to its end", ChangeReason::run_incomplete);
}

std::map<std::string, Suite> suites_of(const Comparison& comparison) {
  const auto outcome = [&](const Finding& finding) {
    return outcome_of(finding.verdict, comparison.options.allow_missing);
  };
  std::map<std::string, Suite> suites;
  for (const RowComparison& row : comparison.rows) {
    suites[suite_name(row.row().key)].cases.push_back(
        {row.row().name, row.finding, outcome(row.finding), explain(row)});
  }
  for (const FamilyComparison& family : comparison.families) {
    const std::string sizes = family.size_class.empty() ? "all sizes" : family.size_class;
    suites["rows together"].cases.push_back({fmt::format("{}, {}", family.subject, sizes),
                                             family.finding, outcome(family.finding),
                                             explain(family)});
  }
  add_whole(comparison, suites);
  for (auto& [name, suite] : suites) {
    for (const TestCase& test : suite.cases) ++suite.counts[test.outcome];
  }
  return suites;
}

std::string property(std::string_view name, std::string_view value) {
  return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", html_text(name),
                     html_text(value));
}

std::string properties(const Comparison& comparison) {
  std::string text = "    <properties>\n";
  text += property("verdict", row_of(comparison.verdict).name);
  text += property("summary", summary_line(comparison));
  for (const EnvironmentDifference& difference : comparison.environment) {
    text +=
        property(difference.name, fmt::format("{} -> {}", difference.base, difference.candidate));
  }
  for (const std::string& note : comparison.notes) text += property("note", note);
  return text + "    </properties>\n";
}

}  // namespace

std::string comparison_junit(const Comparison& comparison) {
  const std::map<std::string, Suite> suites = suites_of(comparison);
  std::map<Outcome, std::size_t> counts;
  std::size_t tests = 0;
  std::string body;
  for (const auto& [name, suite] : suites) {
    tests += suite.cases.size();
    for (const auto& [outcome, count] : suite.counts) counts[outcome] += count;
    body += fmt::format("  <testsuite name=\"{}\" {}>\n{}", html_text(name),
                        counts_text(suite.cases.size(), suite.counts), properties(comparison));
    for (const TestCase& test : suite.cases) body += case_text(name, test);
    body += "  </testsuite>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"collbench compare\" {}>\n{}"
      "</testsuites>\n",
      counts_text(tests, counts), body);
}

}  // namespace collbench
