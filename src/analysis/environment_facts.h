// SPDX-License-Identifier: Apache-2.0
// EnvironmentFacts: what a run's speed depends on besides the code, and how two sides differ in it.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "results/document.h"

namespace collbench {

/// By name, "device model": "NVIDIA H200". What changes without a meaning (names of hosts, dates,
/// process numbers, momentary clocks) is not of them.
struct EnvironmentFacts {
  std::map<std::string, std::string> hard;  // of other machines: times are not comparable
  std::map<std::string, std::string> soft;  // what may be the very thing that is compared

  bool operator==(const EnvironmentFacts&) const = default;
};

EnvironmentFacts environment_facts(const Document& document);

/// A fact that two sides do not share. A side without it has an empty text.
struct EnvironmentDifference {
  std::string name;
  bool is_hard = false;
  std::string base;  // all values that its launches have, sorted, joined by " | "
  std::string candidate;

  bool operator==(const EnvironmentDifference&) const = default;
};

/// Hard ones first, each kind by name. A difference is hard where a hard fact has no value that
/// both sides share, and where it is one of `mixed`, which are named even if the sides are alike.
std::vector<EnvironmentDifference> environment_differences(
    std::span<const EnvironmentFacts> base, std::span<const EnvironmentFacts> candidate,
    const std::set<std::string>& mixed = {});

/// Names of hard facts that not all of these launches share: they are of different machines. What
/// a launch says nothing of contradicts nothing.
std::set<std::string> mixed_machines(std::span<const EnvironmentFacts* const> launches);

/// Names of facts in which the launches of one side differ among themselves.
std::vector<std::string> uneven_facts(std::span<const EnvironmentFacts> launches);

}  // namespace collbench
