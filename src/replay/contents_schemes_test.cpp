// SPDX-License-Identifier: Apache-2.0
// What `contents` says is what a step on bytes finds, for every scheme.
#include <gtest/gtest.h>

#include "plan/variants.h"
#include "replay/interpreter.h"
#include "replay/scheme_cases.h"

namespace collbench::replay {
namespace {

using Lines = std::vector<std::string>;

// Two checks one after the other: of the second, what the first has left is wrong data.
void expect_agreement(const plan::Plan& plan, const std::string& name, bool communicates) {
  SCOPED_TRACE(name);
  ASSERT_EQ(plan::check(plan), Lines{});
  Interpreter interpreter(plan);
  for (const std::uint64_t seed : {1, 2}) {
    const Lines wrong = interpreter.run(contents_of_all(plan, seed));
    ASSERT_EQ(wrong, Lines{});
  }
  if (model::ranks(plan.layout) > 1 && communicates) {
    EXPECT_GT(interpreter.checked_elements(), 0U);
  }
}

TEST(ContentsOfSchemes, AgreeWithBytes) {
  for (const plan::Case& c : scheme_cases()) {
    const plan::Plan plan = plan_of(c);
    expect_agreement(plan, c.name, true);
  }
}

// Of one case in seven, in which every scheme has its turn.
TEST(ContentsOfSchemes, AgreeWithBytesInEveryVariant) {
  const Cases cases = scheme_cases();
  for (std::size_t i = 0; i < cases.size(); i += 7) {
    const plan::Case& c = cases[i];
    const plan::Plan plan = plan_of(c);
    expect_agreement(plan::without_communication(plan), c.name + " computing", false);
    expect_agreement(plan::without_computing(plan), c.name + " communication", true);
    expect_agreement(plan::skeleton(plan), c.name + " skeleton", true);
    expect_agreement(plan::shrunk(plan, 7), c.name + " shrunk", true);
  }
}

}  // namespace
}  // namespace collbench::replay
