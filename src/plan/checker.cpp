// SPDX-License-Identifier: Apache-2.0
#include "plan/checker.h"

#include <iterator>

namespace collbench::plan {

std::vector<std::string> check(const Plan& plan) {
  const Matching matching = match(plan);
  std::vector<std::string> faults = matching.faults;
  for (const auto& found : {find_deadlocks(plan, matching), find_races(plan)}) {
    faults.insert(faults.end(), found.begin(), found.end());
  }
  return faults;
}

}  // namespace collbench::plan
