// SPDX-License-Identifier: Apache-2.0
// What comparisons conclude from rows without times, from runs and from where these ran. The
// numbers behind names of projects are issues of theirs, where a tool got this wrong.
#include <gtest/gtest.h>

#include "analysis/compare.h"
#include "analysis/compare_words.h"
#include "analysis/example_sides.h"

namespace collbench {
namespace {

using enum ChangeVerdict;
using example::five, example::kLarge, example::on, example::only, example::Sides;

// google/benchmark's compare.py, github-action-benchmark: unmatched rows vanish.
TEST(Compare, AMissingRowFailsUnlessAllowed) {
  Sides sides;
  sides.add(example::operation(8));
  sides.base.rows.push_back(example::timed(example::operation(kLarge), five()));
  const Comparison comparison = sides.compared();
  EXPECT_EQ(comparison.rows[0].finding, (Finding{missing, ChangeReason::missing_row}));
  EXPECT_EQ(explain(comparison.rows[0]), "the new side did not measure it");
  EXPECT_EQ(comparison.verdict, OverallVerdict::error);
  EXPECT_EQ(status_of(comparison, default_fail_on()), ExitStatus::verdict_failed);
  EXPECT_EQ(sides.compared({.allow_missing = true}).verdict, OverallVerdict::pass);
}

TEST(Compare, ANewRowIsNoFailure) {
  Sides sides;
  sides.add(example::operation(8));
  sides.candidate.rows.push_back(example::timed(example::operation(kLarge), five()));
  EXPECT_EQ(sides.compared().count(fresh), 1U);
  EXPECT_EQ(sides.status(), ExitStatus::ok);
}

TEST(Compare, WrongDataIsAnErrorHoweverFast) {
  Sides sides;
  sides.add(example::operation(8), 0.5);
  LaunchRow& row = sides.candidate.rows[0];
  row.values.erase(row.values.begin() + 1);
  row.gaps.push_back({1, RowStatus::wrong, "3 wrong of 4 elements"});
  const Comparison comparison = sides.compared();
  EXPECT_EQ(only(comparison).finding, (Finding{error, ChangeReason::wrong_data}));
  EXPECT_EQ(explain(only(comparison)), "wrong in 1 launch of the new side: 3 wrong of 4 elements");
  EXPECT_EQ(comparison.verdict, OverallVerdict::error);
  EXPECT_EQ(status_of(comparison, default_fail_on()), ExitStatus::verdict_failed);
}

TEST(Compare, WhatFailedOnTheBaseSideIsNoYardstick) {
  Sides sides;
  sides.add(example::operation(kLarge));
  sides.add(example::operation(8), 2);
  sides.base.rows[1].gaps.push_back({0, RowStatus::failed, "timed out"});
  const Comparison comparison = sides.compared();
  EXPECT_EQ(comparison.rows[0].finding, (Finding{incomparable, ChangeReason::base_unusable}));
  EXPECT_EQ(explain(comparison.rows[0]), "failed in 1 launch of the base side: timed out");
}

TEST(Compare, WhatIsNewlyRefusedIsAnError) {
  Sides sides;
  sides.add(example::operation(8));
  sides.candidate.rows[0].values.clear();
  sides.candidate.rows[0].gaps.push_back({0, RowStatus::skipped, "not in place"});
  EXPECT_EQ(only(sides.compared()).finding, (Finding{error, ChangeReason::skipped}));
}

// pybroker#287, nvbench#295, bidict#394: nothing compared is neither green nor red.
TEST(Compare, NothingComparableIsItsOwnEnd) {
  Sides sides;
  EXPECT_EQ(sides.compared().verdict, OverallVerdict::nothing_comparable);
  EXPECT_EQ(sides.status(), ExitStatus::inconclusive);
  sides.base.rows.push_back(example::timed(example::operation(8), five()));
  sides.candidate.rows.push_back(example::timed(example::operation(16), five()));
  EXPECT_EQ(sides.compared().verdict, OverallVerdict::nothing_comparable);
  EXPECT_EQ(sides.status(), ExitStatus::inconclusive);
  EXPECT_EQ(status_of(sides.compared(), FailOn{}), ExitStatus::inconclusive);
}

TEST(Compare, WhereEveryNewRowFailedNothingIsGreen) {
  Sides sides;
  sides.add(example::operation(8));
  sides.candidate.rows[0].values.clear();
  sides.candidate.rows[0].gaps.push_back({0, RowStatus::failed, "timed out"});
  EXPECT_EQ(status_of(sides.compared(), FailOn{}), ExitStatus::inconclusive);
  EXPECT_EQ(sides.status(), ExitStatus::verdict_failed);
}

TEST(Compare, MostlyIncomparableRowsDoNotPass) {
  Sides sides;
  sides.add(example::operation(kLarge));
  for (const Bytes size : {8, 16}) {
    sides.add(example::operation(size));
    sides.base.rows.back().gaps.push_back({0, RowStatus::failed, "timed out"});
  }
  EXPECT_EQ(sides.compared().verdict, OverallVerdict::inconclusive);
}

TEST(Compare, ARunThatDidNotEndNeverPasses) {
  for (const bool on_base : {false, true}) {
    Sides sides;
    sides.add(example::operation(8));
    Launches& side = on_base ? sides.base : sides.candidate;
    side.launches[2].incomplete = true;
    const Comparison comparison = sides.compared();
    EXPECT_EQ(comparison.verdict, OverallVerdict::inconclusive);
    EXPECT_EQ(status_of(comparison, default_fail_on()), ExitStatus::inconclusive);
    EXPECT_EQ(status_of(comparison, FailOn{}), ExitStatus::inconclusive);
    ASSERT_FALSE(comparison.notes.empty());
    EXPECT_NE(comparison.notes[0].find("3.json: the run was killed, or still goes on"),
              std::string::npos);
  }
}

TEST(Compare, WhatAnInterruptedRunMissesIsSaidToBeOfThat) {
  Sides sides;
  sides.add(example::operation(8));
  sides.base.rows.push_back(example::timed(example::operation(kLarge), five()));
  sides.candidate.launches[0].status = RunStatus::timeout;
  const Comparison comparison = sides.compared();
  EXPECT_EQ(comparison.rows[0].finding, (Finding{missing, ChangeReason::run_incomplete}));
  EXPECT_EQ(status_of(comparison, default_fail_on()), ExitStatus::verdict_failed);
}

// nvbench#186: other machines are not compared by accident, and are when asked for.
TEST(Compare, OtherMachinesAreComparedOnlyWhenAskedFor) {
  Sides sides;
  sides.add(example::operation(kLarge), 2);
  for (EnvironmentFacts& facts : sides.candidate.environments) facts.hard["CPU model"] = "EPYC";
  const Comparison comparison = sides.compared();
  EXPECT_EQ(only(comparison).finding, (Finding{incomparable, ChangeReason::environment_differs}));
  EXPECT_EQ(comparison.verdict, OverallVerdict::nothing_comparable);
  EXPECT_EQ(status_of(comparison, default_fail_on()), ExitStatus::inconclusive);
  ASSERT_EQ(comparison.environment.size(), 1U);
  EXPECT_EQ(comparison.environment[0].base, "Xeon");
  EXPECT_EQ(sides.status({.allow_environment_difference = true}), ExitStatus::verdict_failed);
}

// A side of several machines is no better than two sides of one each, even where the other side is
// mixed alike: that would call the share of each a change.
TEST(Compare, LaunchesOfSeveralMachinesOnOneSideAreNotCompared) {
  for (const bool on_both : {false, true}) {
    Sides sides;
    sides.add(example::operation(kLarge), 2);
    sides.candidate.environments[4].hard["CPU model"] = "EPYC";
    if (on_both) sides.base.environments[0].hard["CPU model"] = "EPYC";
    const Comparison comparison = sides.compared();
    EXPECT_EQ(only(comparison).finding, (Finding{incomparable, ChangeReason::environment_differs}));
    EXPECT_EQ(sides.status(), ExitStatus::inconclusive);
    EXPECT_EQ(comparison.environment.at(0),
              (EnvironmentDifference{"CPU model", true, on_both ? "EPYC | Xeon" : "Xeon",
                                     "EPYC | Xeon"}));
    EXPECT_EQ(sides.status({.allow_environment_difference = true}), ExitStatus::verdict_failed);
  }
}

TEST(Compare, RowsThatEachMachineMeasuredAloneAreCompared) {
  Sides sides;
  for (Launches* side : {&sides.base, &sides.candidate}) {
    for (const std::size_t launch : {3, 4}) side->environments[launch].hard["hosts"] = "2";
    LaunchRow on_one = example::timed(example::operation(8), {1e-6, 1.01e-6, 1.02e-6});
    LaunchRow on_two = example::timed(example::operation(16), {2e-6, 2.01e-6});
    for (LaunchValue& value : on_two.values) value.launch += 3;
    side->rows = {on_one, on_two};
  }
  for (Launches* side : {&sides.base, &sides.candidate}) {
    for (const std::size_t launch : {0, 1, 2}) side->environments[launch].hard["hosts"] = "1";
  }
  const Comparison comparison = sides.compared();
  EXPECT_EQ(comparison.count(incomparable), 0U);
  EXPECT_TRUE(comparison.environment.empty());
}

TEST(Compare, AnotherLibraryIsWhatIsCompared) {
  Sides sides;
  sides.add(example::operation(kLarge));
  for (EnvironmentFacts& facts : sides.candidate.environments) facts.soft["mpi"] = "MPICH 5.0.0";
  EXPECT_EQ(sides.compared().environment.at(0).name, "mpi");
  EXPECT_EQ(sides.compared().verdict, OverallVerdict::pass);
}

// html_of_jsx#51, litellm#31738, shunt#629, folo#429: everything moved, so the machine may have.
TEST(Compare, AUniformShiftIsNamedAndNotDividedOut) {
  Sides sides;
  for (Bytes i = 0; i < 6; ++i) sides.add(example::operation(kLarge + 4 * i), 1.04);
  const Comparison comparison = sides.compared();
  ASSERT_TRUE(comparison.uniform_shift);
  EXPECT_NEAR(comparison.uniform_shift->median_ratio, 1.04, 1e-9);
  EXPECT_EQ(comparison.uniform_shift->rows, 6U);
  EXPECT_EQ(comparison.count(regression), 6U);
  EXPECT_NE(comparison.notes.at(0).find("suspect the machine"), std::string::npos);
  sides.add(example::operation(8), 0.99);
  sides.add(example::operation(16), 0.99);
  EXPECT_FALSE(sides.compared().uniform_shift);
}

// infomap#944, php-judy#87: launches in blocks, minutes apart.
TEST(Compare, SidesThatWereMeasuredOneAfterTheOtherAreNamed) {
  Sides sides;
  sides.add(example::operation(8));
  for (LaunchFacts& launch : sides.candidate.launches) launch.started = "2026-03-01T13:00:00Z";
  const std::vector<std::string> notes = sides.compared().notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("interleave"), std::string::npos);
}

TEST(Compare, ARunThatEndedBadlyNeverPasses) {
  for (const auto& [status, end] : {std::pair(0, ExitStatus::ok),
                                    {1, ExitStatus::ok},
                                    {6, ExitStatus::ok},
                                    {3, ExitStatus::inconclusive},
                                    {4, ExitStatus::inconclusive}}) {
    Sides sides;
    sides.add(example::operation(8));
    sides.base.launches[1].exit_status = status;
    EXPECT_EQ(sides.status(), end) << status;
  }
  Sides sides;
  sides.add(example::operation(8));
  sides.candidate.launches[1].exit_status = 3;
  EXPECT_EQ(sides.compared().notes.at(0),
            "new/2.json: the run ended with status 3: what it did not measure is missing, and no "
            "comparison with it passes");
}

TEST(Compare, ARowThatMostNewLaunchesLackIsMissing) {
  for (const std::uint32_t having : {1, 2, 3}) {
    Sides sides;
    sides.add(example::operation(8));
    sides.add(example::operation(16));
    sides.candidate.rows[0].values.resize(having);
    const Finding finding = sides.compared().rows.front().finding;
    if (having < 3) {
      EXPECT_EQ(finding, (Finding{missing, ChangeReason::rarely_measured}));
      EXPECT_EQ(sides.status(), ExitStatus::verdict_failed);
      EXPECT_EQ(sides.compared({.allow_missing = true}).count(missing), 0U);
    } else {
      EXPECT_NE(finding.verdict, missing);
    }
  }
}

TEST(Compare, RowsOfOtherProgramsAreNotExpectedOfALaunch) {
  Sides sides;
  sides.add(example::operation(8));
  sides.candidate.rows[0].values.resize(2);
  for (const std::size_t other : {2, 3, 4}) sides.candidate.launches[other].program = "other_perf";
  EXPECT_NE(only(sides.compared()).finding.verdict, missing);
}

TEST(Compare, AFlagOfOneSideAloneIsNamed) {
  Sides sides;
  sides.add(example::operation(8));
  sides.base.flags = {{"outliers", 2}};
  sides.candidate.flags = {{"outliers", 5}, {"throttled", 3}};
  EXPECT_EQ(sides.compared().notes,
            std::vector<std::string>{"only rows of the new side carry the flag throttled (3 "
                                     "times): see what collbench show says of it before trusting a "
                                     "change"});
}

TEST(Compare, ARunIsNotComparedWithItself) {
  Sides sides;
  sides.add(example::operation(8));
  sides.candidate.launches[3].run_id = sides.base.launches[0].run_id;
  const Comparison comparison = sides.compared({.allow_environment_difference = true});
  EXPECT_EQ(only(comparison).finding, (Finding{incomparable, ChangeReason::same_run}));
  EXPECT_EQ(explain(only(comparison)), "a run is on both sides");
  EXPECT_EQ(comparison.verdict, OverallVerdict::nothing_comparable);
  EXPECT_EQ(status_of(comparison, FailOn{}), ExitStatus::inconclusive);
  EXPECT_EQ(comparison.notes.at(0),
            "1 run is on both sides (base/1.json and new/4.json): a run compared with itself says "
            "nothing of a change; leave it out on one side");
}

TEST(Compare, TheSummaryCountsEveryRow) {
  Sides sides;
  sides.add(example::operation(8));
  sides.add(example::operation(kLarge), 1.2);
  EXPECT_EQ(summary_line(sides.compared()),
            "2 rows of 5 launches against 5: 1 regression, 1 unchanged; 1 group "
            "of rows slower as a whole");
}

}  // namespace
}  // namespace collbench
