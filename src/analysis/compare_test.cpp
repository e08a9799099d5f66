// SPDX-License-Identifier: Apache-2.0
// What comparisons conclude. The numbers behind names of projects are issues of theirs, where a
// tool got this wrong.
#include "analysis/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/compare_words.h"
#include "analysis/example_sides.h"

namespace collbench {
namespace {

using enum ChangeVerdict;
using example::five, example::kLarge, example::on, example::only, example::Sides;

// criterion.rs#824, orion#53, pytest-benchmark#273, cccl#10636: a regression that ends with 0.
TEST(Compare, ARegressionFails) {
  Sides sides;
  sides.add(example::operation(kLarge), 1.1);
  const Comparison comparison = sides.compared();
  const RowComparison row = only(comparison);
  EXPECT_EQ(row.finding, (Finding{regression, ChangeReason::slower}));
  EXPECT_EQ(comparison.verdict, OverallVerdict::regression);
  EXPECT_EQ(status_of(comparison, default_fail_on()), ExitStatus::verdict_failed);
  EXPECT_NEAR(row.change->ratio, 1.1, 1e-9);
  EXPECT_NEAR(*row.base_s, 100e-6, 1e-12);
  EXPECT_NEAR(*row.candidate_s, 110e-6, 1e-12);
  EXPECT_EQ(row.base_launches, 5U);
  EXPECT_LT(row.change->interval95->low, 1.1);
  EXPECT_GT(row.change->interval95->low, 1.09);
  EXPECT_EQ(explain(row),
            "10.0 % slower (+9.4 to +10.6 %): more than the threshold of 3 %, and not by chance");
}

// groovy#2787, criterion.rs#250: the wrong direction; asv#797: one message for both.
TEST(Compare, AnImprovementNeverFails) {
  Sides sides;
  sides.add(example::operation(kLarge), 0.8);
  const Comparison comparison = sides.compared();
  EXPECT_EQ(only(comparison).finding, (Finding{improvement, ChangeReason::faster}));
  EXPECT_EQ(comparison.verdict, OverallVerdict::pass);
  for (const ChangeVerdictRow& verdict : kChangeVerdicts) {
    if (verdict.verdict == improvement) continue;
    EXPECT_EQ(status_of(comparison, on(verdict.verdict)), ExitStatus::ok) << verdict.name;
  }
  EXPECT_TRUE(explain(only(comparison)).starts_with("20.0 % faster"));
}

TEST(Compare, BothAtOnceAreMixed) {
  Sides sides;
  sides.add(example::operation(8), 0.8);
  sides.add(example::operation(kLarge), 1.2);
  const Comparison comparison = sides.compared();
  EXPECT_EQ(comparison.verdict, OverallVerdict::mixed);
  EXPECT_EQ(comparison.rows[0].finding.verdict, regression);  // what to act on stands first
  EXPECT_EQ(comparison.count(improvement), 1U);
}

TEST(Compare, EqualTimesAreUnchanged) {
  Sides sides;
  sides.add(example::operation(kLarge));
  EXPECT_EQ(only(sides.compared()).finding, (Finding{unchanged, ChangeReason::within_threshold}));
  EXPECT_EQ(sides.status(), ExitStatus::ok);
}

// asv#752: a sign for "no matter" that hides a change.
TEST(Compare, ASmallRealChangeIsSaidToBeOne) {
  Sides sides;
  sides.add(example::operation(kLarge), 1.015);
  const RowComparison row = only(sides.compared());
  EXPECT_EQ(row.finding, (Finding{unchanged, ChangeReason::below_threshold}));
  EXPECT_EQ(explain(row),
            "1.5 % slower (+1.0 to +2.0 %): a change, but less than the threshold of 3 %");
}

TEST(Compare, ThresholdsOfSmallMessagesAreWider) {
  Sides sides;
  sides.add(example::operation(8), 1.042);
  EXPECT_EQ(only(sides.compared()).finding.verdict, unchanged);
  sides = {};
  sides.add(example::operation(kLarge), 1.042);
  EXPECT_EQ(only(sides.compared()).finding.verdict, regression);
}

// infomap#944, php-judy#87, rustbgpd#566: launches scatter, and an interval around no change is
// none.
TEST(Compare, ScatterBetweenLaunchesIsNoRegression) {
  Sides sides;
  const RowKey key = example::operation(kLarge);
  sides.base.rows.push_back(example::timed(key, {1.0, 1.1, 0.95, 1.2, 0.9}));
  sides.candidate.rows.push_back(example::timed(key, {1.3, 1.0, 1.15, 0.95, 1.2}));
  const Comparison comparison = sides.compared();
  EXPECT_EQ(only(comparison).finding, (Finding{inconclusive, ChangeReason::too_noisy}));
  EXPECT_EQ(comparison.verdict, OverallVerdict::inconclusive);
  EXPECT_EQ(status_of(comparison, default_fail_on()), ExitStatus::ok);
  EXPECT_EQ(status_of(comparison, on(inconclusive)), ExitStatus::inconclusive);
}

// google/benchmark#1648: statistics that a single repetition has not, and nobody says why.
TEST(Compare, OneLaunchOfEachIsASuspicionAtMost) {
  Sides sides;
  sides.base = example::launches(1, "base");
  sides.candidate = example::launches(1, "new");
  const RowKey key = example::operation(kLarge);
  sides.base.rows.push_back(example::timed(key, {1.0}));
  sides.candidate.rows.push_back(example::timed(key, {2.0}));
  sides.base.rows[0].values[0].interval95_s = {0.99, 1.01};
  sides.candidate.rows[0].values[0].interval95_s = {1.99, 2.01};
  const Comparison comparison = sides.compared();
  EXPECT_EQ(only(comparison).finding, (Finding{suspect, ChangeReason::looks_slower}));
  EXPECT_FALSE(only(comparison).change->interval95);
  EXPECT_EQ(explain(only(comparison)),
            "100.0 % slower: more than the threshold of 3 %, on too few launches to tell it from "
            "chance");
  EXPECT_NE(comparison.notes.at(0).find("measure 5 launches of each side"), std::string::npos);
  EXPECT_EQ(comparison.verdict, OverallVerdict::inconclusive);
  EXPECT_EQ(status_of(comparison, default_fail_on()), ExitStatus::ok);
  EXPECT_EQ(status_of(comparison, on(suspect)), ExitStatus::inconclusive);
  sides.candidate.rows[0].values[0].interval95_s = {1.005, 2.01};  // samples overlap
  EXPECT_EQ(only(sides.compared()).finding,
            (Finding{inconclusive, ChangeReason::too_few_launches}));
  sides.candidate.rows[0].values[0] = {0, 0.5, statistics::Interval{0.49, 0.51}};
  EXPECT_EQ(only(sides.compared()).finding,
            (Finding{inconclusive, ChangeReason::too_few_launches}));
}

TEST(Compare, OneLaunchAgainstFiveIsHeldAgainstTheirScatter) {
  Sides sides;
  sides.candidate = example::launches(1, "new");
  const RowKey key = example::operation(kLarge);
  sides.base.rows.push_back(example::timed(key, five()));
  sides.candidate.rows.push_back(example::timed(key, {110e-6}));
  EXPECT_EQ(only(sides.compared()).finding, (Finding{regression, ChangeReason::slower}));
  sides.candidate.rows[0].values[0].time_s = 101e-6;
  EXPECT_EQ(only(sides.compared()).finding.verdict, unchanged);
}

TEST(Compare, TwoLaunchesOfEachSeeOnlyLargeChanges) {
  Sides sides;
  sides.base = example::launches(2, "base");
  sides.candidate = example::launches(2, "new");
  const RowKey key = example::operation(kLarge);
  sides.base.rows.push_back(example::timed(key, {1.0, 1.04}));
  sides.candidate.rows.push_back(example::timed(key, {1.10, 1.14}));
  EXPECT_EQ(only(sides.compared()).finding, (Finding{inconclusive, ChangeReason::too_noisy}));
  sides.candidate.rows[0] = example::timed(key, {3.0, 3.02});
  EXPECT_EQ(only(sides.compared()).finding.verdict, regression);
}

TEST(Compare, FewLaunchesThatAgreeByChanceAreNotBelieved) {
  Sides sides;
  sides.base = example::launches(2, "base");
  sides.candidate = example::launches(2, "new");
  const RowKey key = example::operation(kLarge);
  sides.base.rows.push_back(example::timed(key, {1.0, 1.0}));
  sides.candidate.rows.push_back(example::timed(key, {1.0, 1.0}));
  const RowComparison row = only(sides.compared());
  EXPECT_GT(row.change->interval95->high, 1.001);
  EXPECT_TRUE(std::isfinite(*row.change->detectable));
}

// The correction for many rows: of 200 rows, one that is slower with p = 0.002 is nothing.
TEST(Compare, AmongManyRowsMoreEvidenceIsAsked) {
  const RowKey odd = example::operation(kLarge, "odd");
  const auto with_others = [&](int others) {
    Sides sides;
    for (int i = 0; i < others; ++i) sides.add(example::operation(kLarge + 4 * (1 + i)));
    sides.base.rows.push_back(example::timed(odd, {1.00, 1.02, 0.98, 1.03, 0.97}));
    sides.candidate.rows.push_back(example::timed(odd, {1.08, 1.06, 1.04, 1.09, 1.03}));
    const Comparison comparison = sides.compared();
    const auto found = std::find_if(
        comparison.rows.begin(), comparison.rows.end(),
        [&](const RowComparison& row) { return row.row().key == MeasurementKey(odd); });
    return *found;
  };
  EXPECT_EQ(with_others(0).finding.verdict, regression);
  EXPECT_EQ(with_others(200).finding, (Finding{inconclusive, ChangeReason::not_significant}));
  EXPECT_GT(*with_others(200).change->detectable, *with_others(0).change->detectable);
}

TEST(Compare, RowsTogetherShowWhatNoneShowsAlone) {
  Sides sides;
  const std::vector<double> noisy = {1.00, 1.03, 0.97, 1.04, 0.96};
  for (std::size_t i = 0; i < 10; ++i) {
    std::vector<double> base = noisy, later = noisy;
    std::rotate(base.begin(), base.begin() + i % 5, base.end());
    std::rotate(later.begin(), later.begin() + (i + 2) % 5, later.end());
    for (double& time : later) time *= 1.05;
    const RowKey key = example::operation(kLarge + 4 * i);
    sides.base.rows.push_back(example::timed(key, base));
    sides.candidate.rows.push_back(example::timed(key, later));
  }
  const Comparison comparison = sides.compared();
  EXPECT_EQ(comparison.count(regression), 0U);
  ASSERT_EQ(comparison.families.size(), 2U);  // of the collective, and of its large messages
  EXPECT_EQ(comparison.families[0].size_class, "");
  EXPECT_EQ(comparison.families[1].size_class, "large");
  EXPECT_EQ(comparison.families[1].finding.verdict, regression);
  EXPECT_EQ(comparison.families[1].rows, 10U);
  EXPECT_NEAR(comparison.families[1].change.ratio, 1.05, 1e-9);
  EXPECT_EQ(comparison.verdict, OverallVerdict::regression);
  EXPECT_EQ(status_of(comparison, default_fail_on()), ExitStatus::verdict_failed);
}

// golang#19565, #57648, google/benchmark#2290, #1477: means over rows that one side has not, or of
// zeros.
TEST(Compare, MeansAreOfMatchedRowsWithTimesOnly) {
  Sides sides;
  sides.add(example::operation(kLarge), 1.02);
  sides.add(example::operation(kLarge + 4), 1.04);
  sides.base.rows.push_back(example::timed(example::operation(kLarge + 8), five(0.01)));
  sides.candidate.rows.push_back(example::timed(example::operation(kLarge + 12), five(100)));
  LaunchRow skipped = example::timed(example::operation(kLarge + 16), {});
  skipped.gaps.push_back({0, RowStatus::skipped, "no such size"});
  sides.base.rows.push_back(skipped);
  sides.candidate.rows.push_back(skipped);
  const Comparison comparison = sides.compared({.allow_missing = true});
  ASSERT_FALSE(comparison.families.empty());
  EXPECT_EQ(comparison.families[0].rows, 2U);
  EXPECT_NEAR(comparison.families[0].change.ratio, std::sqrt(1.02 * 1.04), 1e-9);
  EXPECT_EQ(comparison.rows.size(), 5U);  // none is left out
}

}  // namespace
}  // namespace collbench
