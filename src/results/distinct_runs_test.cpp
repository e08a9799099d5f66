// SPDX-License-Identifier: Apache-2.0
#include "results/distinct_runs.h"

#include <gtest/gtest.h>

#include "results/example_document.h"

namespace collbench {
namespace {

Document finished(const std::string& id) {
  Document run = example::ended();
  run.run.id = id;
  return run;
}

Document unfinished(const std::string& id, std::size_t rows) {
  Document run = example::started();
  run.run.id = id;
  run.rows.assign(rows, example::measured(false));
  run.incomplete = true;
  return run;
}

TEST(DistinctRuns, EachIdIsThereOnceInTheOrderOfTheFirst) {
  EXPECT_EQ(distinct_runs({finished("b"), finished("a"), finished("b")}),
            (std::vector{finished("b"), finished("a")}));
  EXPECT_TRUE(distinct_runs({}).empty());
}

TEST(DistinctRuns, TheFinishedFileOfARunStays) {
  EXPECT_EQ(distinct_runs({unfinished("a", 9), finished("a")}), std::vector{finished("a")});
  EXPECT_EQ(distinct_runs({finished("a"), unfinished("a", 9)}), std::vector{finished("a")});
  EXPECT_EQ(distinct_runs({unfinished("a", 2), unfinished("a", 3), unfinished("a", 1)}),
            std::vector{unfinished("a", 3)});
}

TEST(DistinctRuns, OneThatWasChangedIsRefused) {
  Document changed = finished("a");
  changed.rows.pop_back();
  try {
    distinct_runs({finished("a"), changed});
    FAIL();
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(),
                 "run a is there twice, and not alike: one was changed after the run; leave one "
                 "out");
  }
}

}  // namespace
}  // namespace collbench
