// SPDX-License-Identifier: Apache-2.0
#include "analysis/families.h"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <unordered_map>

#include "analysis/change.h"

namespace collbench {
namespace {

using Members = std::vector<RowComparison*>;

/// What rows of one family have in common, as text.
std::string family_key(const RowComparison& row, std::string_view size_class) {
  std::string key = fmt::format("{}/{}", subject_of(row.row().key), size_class);
  for (const LaunchRow* side : {row.base, row.candidate}) {
    key += '/';
    for (const LaunchValue& value : side->values) key += fmt::format("{},", value.launch);
  }
  return key;
}

/// In the order in which they first appear, those of one row left out.
template <class ClassOf>
std::vector<Members> families_of(const Members& rows, ClassOf class_of_row) {
  std::vector<Members> families;
  std::unordered_map<std::string, std::size_t> index;
  for (RowComparison* row : rows) {
    const auto [place, is_new] =
        index.try_emplace(family_key(*row, class_of_row(*row)), families.size());
    if (is_new) families.emplace_back();
    families[place->second].push_back(row);
  }
  std::erase_if(families, [](const Members& members) { return members.size() < 2; });
  return families;
}

/// By launch, the mean of the logarithms of its times.
std::vector<double> launch_logs(const Members& members, const LaunchRow* RowComparison::*side) {
  std::vector<double> logs((members.front()->*side)->values.size());
  for (const RowComparison* member : members) {
    const std::vector<LaunchValue>& values = (member->*side)->values;
    for (std::size_t i = 0; i < logs.size(); ++i) logs[i] += std::log(values[i].time_s);
  }
  for (double& log : logs) log /= static_cast<double>(members.size());
  return logs;
}

Threshold mean_threshold(const Members& members) {
  Threshold sum;
  for (const RowComparison* member : members) {
    sum.slower += member->threshold.slower;
    sum.faster += member->threshold.faster;
  }
  const auto n = static_cast<double>(members.size());
  return {sum.slower / n, sum.faster / n};
}

FamilyComparison describe(const Members& members, std::string size_class) {
  const RowComparison& first = *members.front();
  return {.subject = subject_of(first.row().key),
          .size_class = std::move(size_class),
          .rows = members.size(),
          .base_launches = first.base_launches,
          .candidate_launches = first.candidate_launches,
          .threshold = mean_threshold(members)};
}

void judge(const std::vector<Members>& members, std::span<FamilyComparison> families,
           const CompareRules& rules) {
  std::vector<TestedChange> tested;
  for (const Members& rows : members) {
    tested.push_back(test_change(launch_logs(rows, &RowComparison::base),
                                 launch_logs(rows, &RowComparison::candidate),
                                 rules.least_launch_noise));
  }
  const Discoveries discoveries(tested, rules.family_false_discovery);
  for (std::size_t i = 0; i < members.size(); ++i) {
    judge(tested[i], families[i].threshold, discoveries, families[i].change, families[i].finding);
  }
}

}  // namespace

std::vector<FamilyComparison> compare_families(std::vector<RowComparison>& rows,
                                               const CompareRules& rules) {
  Members with_times;
  for (RowComparison& row : rows) {
    if (row.change) with_times.push_back(&row);
  }
  const auto class_of_row = [&](const RowComparison& row) {
    return class_of(rules, row.row().key);
  };
  std::vector<FamilyComparison> families;
  const auto add = [&](const std::vector<Members>& members, auto class_of_family) {
    const std::size_t first = families.size();
    for (const Members& of_one : members) {
      for (RowComparison* row : of_one) row->families.push_back(families.size());
      families.push_back(describe(of_one, std::string(class_of_family(*of_one.front()))));
    }
    judge(members, std::span(families).subspan(first), rules);
  };
  const auto whole = [](const RowComparison&) { return std::string_view(); };
  add(families_of(with_times, whole), whole);
  add(families_of(with_times, class_of_row), class_of_row);
  return families;
}

}  // namespace collbench
