// SPDX-License-Identifier: Apache-2.0
#include "report/make_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "report/page_test_parts.h"
#include "results/example_steps.h"

namespace collbench::report {
namespace {

TEST(Page, EachSectionOnlyWhereThereIsSomethingForIt) {
  EXPECT_EQ(ids(page_of({})), Texts{});
  EXPECT_EQ(ids(page_of({{"none", example::started()}})), (Texts{"summary", "runs"}));
  EXPECT_EQ(ids(page_of({{"steps", example::pattern()}})),
            (Texts{"summary", "steps", "flags", "runs"}));
  EXPECT_EQ(ids(page_of({{"a", example::ended()}})),
            (Texts{"summary", "sweeps", "matrix", "ranks", "samples", "flags", "runs"}));
}

TEST(Page, ProblemsStandAtTheTopWithTheirReasons) {
  const Page page = page_of({{"a", example::ended()}});
  EXPECT_EQ(texts_of(page.problems),
            (Texts{"a: 1 row wrong (all_reduce 8 B in place): 3 wrong of 4 elements, the first: "
                   "rank 1, byte 4: expected 3, found 0",
                   "a: 1 row failed (all_reduce 11 B in place): MPI_Allreduce: MPI_ERR_OTHER on "
                   "rank 1",
                   "a: 1 row skipped (all_gather 11 B out of place): 8 bytes are less than one "
                   "16-byte block for each of 2 ranks"}));
  EXPECT_EQ(page.problems_title, "Problems");
  EXPECT_EQ(page.problems[1].tone, Tone::bad);
  EXPECT_EQ(page.problems[2].tone, Tone::caution);
}

TEST(Page, SkippedRowsAloneAreNoProblem) {
  Document document = example::ended();
  document.rows = {example::skipped(), example::skipped()};
  const Page page = page_of({{"a", document}});
  EXPECT_EQ(page.problems_title, "Not measured");
  EXPECT_EQ(texts_of(page.problems),
            Texts{"a: 2 rows skipped, first all_gather 11 B out of place: 8 bytes are less than "
                  "one 16-byte block for each of 2 ranks"});
}

TEST(Page, ManyReasonsAreCounted) {
  Document document = example::ended();
  document.rows.clear();
  for (int i = 0; i < 30; ++i) {
    document.rows.push_back(example::skipped());
    document.rows.back().reason = fmt::format("reason {}", 10 + i);
  }
  const Page page = page_of({{"a", document}});
  ASSERT_EQ(page.problems.size(), 13u);
  EXPECT_EQ(page.problems.back().text, "a: 18 rows more, with 18 further reasons: see the tables");
}

TEST(Page, SaysHowARunEndedThatDidNotComplete) {
  Document killed = example::started();
  killed.incomplete = true;
  killed.rows = {example::measured(false)};
  Document timeout = example::started();
  timeout.run.status = RunStatus::timeout;
  timeout.run.message = "no progress for 120 s";
  const Page page = page_of({{"killed", killed}, {"late", timeout}});
  EXPECT_EQ(
      texts_of(page.problems),
      (Texts{"killed: incomplete: the run was killed, or still goes on; 1 row so far",
             "late: ended by a deadline: no progress for 120 s", "late: nothing was measured"}));
}

TEST(Page, ASweepHasLinesByPlacementAndRun) {
  Document document = example::ended();
  document.rows = {example::measured(false), example::measured(true)};
  const Page page = page_of({{"base", document}, {"new", document}});
  const Section& sweeps = section(page, "sweeps");
  ASSERT_EQ(sweeps.figures.size(), 1u);
  const Figure& figure = sweeps.figures[0];
  EXPECT_EQ(figure.title, "all_reduce, float, sum");
  EXPECT_EQ(figure.sentences, Texts{"mpi, streaming, max over ranks; 2 ranks, 2 hosts"});
  // Two ranks: bus and algorithm bandwidth are the same line.
  ASSERT_EQ(figure.charts.size(), 2u);
  const Chart& bandwidth = figure.charts[0];
  EXPECT_EQ(bandwidth.title, "Bus and algorithm bandwidth");
  ASSERT_EQ(bandwidth.series.size(), 4u);
  EXPECT_EQ(bandwidth.series[0].label, "out of place, base");
  EXPECT_EQ(bandwidth.series[3].label, "in place, new");
  EXPECT_TRUE(bandwidth.series[3].dashed);
  const Point& point = bandwidth.series[0].points.at(0);
  EXPECT_EQ(point.x, 8);
  EXPECT_DOUBLE_EQ(point.y, 28049.5e-9);
  // The slow end of the time is the low one of the bandwidth.
  EXPECT_NEAR(point.interval->low, 28049.5e-9 * 285.215 / 300, 1e-12);
  EXPECT_NEAR(point.interval->high, 28049.5e-9 * 285.215 / 281, 1e-12);
  EXPECT_EQ(row_of(*figure.table, 0), (Texts{"8 B", "out of place, base", "285.2", "3.3",
                                             "0.00002805", "0.00002805", "6", "0", ""}));
}

TEST(Page, WrongRowsAreInTheTableAndNotInTheChart) {
  Document document = example::ended();
  document.rows = {example::measured(false), example::wrong()};
  const Page page = page_of({{"a", document}});
  const Figure& figure = section(page, "sweeps").figures.at(0);
  EXPECT_EQ(figure.charts.at(0).series.size(), 1u);
  EXPECT_EQ(figure.table->rows.at(1).back().text, "wrong");
  EXPECT_EQ(figure.table->rows.at(1).back().tone, Tone::bad);
}

TEST(Page, RatiosAreOfRowsThatAreTheSameMeasurement) {
  Document base = example::ended();
  base.rows = {example::measured(false), example::wrong()};
  Document next = base;
  next.rows[0].timing->median_s *= 1.5;
  Document other = base;
  other.rows[0].key.mode = "isolated";
  EXPECT_EQ(ids(page_of({{"base", base}, {"other", other}}))[2], "ranks");
  const Page page = page_of({{"base", base}, {"new", next}});
  const Section& ratios = section(page, "ratios");
  EXPECT_EQ(row_of(*ratios.figures.at(0).table, 0),
            (Texts{"all_reduce", "8 B", "285.2", "427.8", "1.500"}));
  EXPECT_EQ(ratios.sentences.at(1),
            "new: 1.500 times the base's time, the geometric mean of 1 row that both have.");
}

TEST(Page, AMatrixIsMadeAgainOfItsWords) {
  Document document = example::ended();
  document.rows = {example::by_matrix()};
  document.rows[0].key.matrix = "uniform";
  const Page page = page_of({{"a", document}});
  const Figure& figure = section(page, "matrix").figures.at(0);
  EXPECT_EQ(figure.title, "What ranks send each other: uniform, 96 KiB");
  EXPECT_EQ(row_of(*figure.table, 0), (Texts{"0", "48", "48"}));
  document.rows[0].key.matrix = "file counts.txt 0123456789abcdef";
  EXPECT_EQ(ids(page_of({{"a", document}}))[2], "ranks");
}

TEST(Page, PairsOfRanksAreAMatrix) {
  Document document = example::split();
  Record row = example::measured(false);
  row.key.group = GroupKey{.rule = "DIV 2", .index = 1, .count = 2};
  row.bus_bandwidth_Bps = 2e9;
  document.rows = {row};
  document.environment.ranks.assign(4, document.environment.ranks[0]);
  for (int rank = 0; rank < 4; ++rank) {
    document.environment.ranks[static_cast<std::size_t>(rank)].rank = rank;
    document.environment.ranks[static_cast<std::size_t>(rank)].group = rank / 2;
  }
  const Page page = page_of({{"a", document}});
  const Figure& figure = section(page, "matrix").figures.at(0);
  EXPECT_EQ(figure.title, "Pairs of ranks: all_reduce of 8 B");
  EXPECT_EQ(row_of(*figure.table, 0), (Texts{"2", "", "2"}));
  EXPECT_EQ(row_of(*figure.table, 1), (Texts{"3", "2", ""}));
}

TEST(Page, SlowRanksAreNamedWithTheirHosts) {
  const Page page = page_of({{"a", example::ended()}});
  const Figure& figure = section(page, "ranks").figures.at(0);
  EXPECT_EQ(row_of(*figure.table, 0), (Texts{"rank 0 on node0", "285.2", "83.33"}));
  EXPECT_EQ(figure.charts.at(1).series.at(0).points.at(1).y, 100.0 / 6);
}

TEST(Page, StepsAreComputingBubbleAndExposedCommunication) {
  const Page page = page_of({{"a", example::pattern()}});
  const Section& steps = section(page, "steps");
  const Chart& parts = steps.figures.at(0).charts.at(0);
  ASSERT_EQ(parts.series.size(), 3u);
  EXPECT_DOUBLE_EQ(parts.series[0].points.at(0).x, 16);
  EXPECT_DOUBLE_EQ(parts.series[1].points.at(0).x, 1);
  EXPECT_DOUBLE_EQ(parts.series[2].points.at(0).x, 3);
  EXPECT_EQ(parts.categories.at(1),
            "zero, llama3-8b, tp 1 cp 1 pp 2 dp 2 vpp 2 replicas 2, 2 layers of the model, divided "
            "by 16");
  EXPECT_EQ(steps.figures.at(1).table->rows.size(), 3u);  // messages of both
  const Table& axes = *steps.figures.at(2).table;         // what they cost each other
  ASSERT_EQ(axes.rows.size(), 2u);
  EXPECT_EQ(axes.rows[1].at(1).text, "dp_replicate");
  EXPECT_EQ(axes.rows[1].at(5).text, "1.50");
  EXPECT_EQ(axes.rows[0].at(7).text, "within the noise");
}

TEST(Page, ScalingHasTheIdealBesideTheMeasured) {
  Document small = example::pattern();
  small.steps = {example::step()};
  Document large = small;
  large.run.id = "other";
  large.steps[0].key.ranks = 8;
  large.steps[0].key.layout.dp = 4;
  large.steps[0].tokens *= 2;
  large.steps[0].step->median_s = 25e-3;
  const Page page = page_of({{"a", small}, {"b", large}});
  const Figure& figure = section(page, "scaling").figures.at(0);
  EXPECT_EQ(figure.title, "zero of llama3-8b");
  EXPECT_EQ(figure.charts.at(0).series.at(0).points.at(1).y, 80);
  EXPECT_EQ(figure.charts.at(1).series.at(1).points.at(1).y, 2 * 65'536 / 20e-3);
  EXPECT_EQ(row_of(*figure.table, 1),
            (Texts{"8", "2", "1", "25", "5242880", "80.0", "80.0", "", "32.0", ""}));
}

TEST(Page, CollectivesScaleToo) {
  Document two = example::ended();
  two.rows = {example::measured(false)};
  Document four = two;
  four.run.id = "other";
  four.rows[0].key.ranks = 4;
  four.rows[0].timing->median_s *= 2;
  const Page page = page_of({{"a", two}, {"b", four}});
  const Figure& figure = section(page, "scaling").figures.at(0);
  EXPECT_EQ(figure.title, "all_reduce, float");
  EXPECT_EQ(row_of(*figure.table, 1), (Texts{"4", "2", "1", "570.4", "", "", ""}));
}

TEST(Page, EnvironmentsAreToldApart) {
  Document base = example::ended();
  Document next = base;
  next.run.git_commit = "fedcba987654";
  next.environment.variables.erase("NCCL_DEBUG");
  const Page page = page_of({{"base", base}, {"new", next}});
  const Section& runs = section(page, "runs");
  const Figure& differences = runs.figures.at(1);
  EXPECT_EQ(differences.title, "In what the environments differ");
  EXPECT_EQ(row_of(*differences.table, 1), (Texts{"commit", "0123456789ab", "fedcba987654"}));
  EXPECT_EQ(row_of(*differences.table, 0), (Texts{"NCCL_DEBUG", "INFO", "not set"}));
  EXPECT_EQ(differences.table->rows.size(), 2u);
}

TEST(Page, VerdictsAreSentences) {
  Document document = example::ended();
  document.rows = {example::measured(false)};
  document.config.thresholds.by_size = {{11, 1e9}};
  const Page page = page_of({{"a", document}});
  EXPECT_EQ(texts_of(section(page, "summary").notes),
            Texts{"a: bus bandwidth of 11 B NOT met: 0.00002805 GB/s, 1 GB/s asked for"});
}

TEST(Page, ATimelineIsBarsOnTheStreamsOfRanks) {
  Timeline timeline = {.name = "trace", .lanes = {"rank 0, compute", "rank 0, dp"}, .ops = {}};
  timeline.ops = {{0, "F0 layer 1", 0, 1e-3}, {1, "all_reduce", 1e-3, 3e-3}, {0, "F1", 1e-3, 2e-3}};
  const Page page = make_page({.runs = {}, .timelines = {timeline}}, "title");
  const Figure& figure = section(page, "timeline").figures.at(0);
  const Chart& chart = figure.charts.at(0);
  EXPECT_EQ(chart.series.at(0).label, "F");
  EXPECT_EQ(chart.series.at(0).spans.size(), 2u);
  EXPECT_EQ(chart.series.at(1).spans.at(0).to, 3);
  EXPECT_EQ(row_of(*figure.table, 1), (Texts{"rank 0, dp", "1", "2", "66.7"}));
}

}  // namespace
}  // namespace collbench::report
