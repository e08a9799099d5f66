// SPDX-License-Identifier: Apache-2.0
#include "import/nccl_tests_text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "import/import_examples.h"
#include "results/example_document.h"
#include "results/json.h"
#include "results/table.h"

namespace collbench {
namespace {

TEST(NcclTestsText, TableOfTheNewestVersion) {
  const ImportedRuns read = imported(import_example("nccl-tests-2.19.txt"));
  ASSERT_EQ(read.runs.size(), 1U);
  const Document& run = read.runs[0];
  EXPECT_EQ(run.run.imported_from, "nccl-tests 2.19.6");
  EXPECT_EQ(run.run.status, RunStatus::complete);
  EXPECT_FALSE(run.incomplete);
  EXPECT_EQ(run.config.program, "all_reduce_perf");
  EXPECT_EQ(run.config.fixed_iterations, 20U);
  EXPECT_EQ(run.config.step_factor, 512U);
  EXPECT_EQ(run.environment.hosts.size(), 2U);
  EXPECT_EQ(run.environment.ranks.at(3).device_bus_id, "0000:02:00");
  EXPECT_EQ(run.environment.ranks.at(3).device_model, "NVIDIA H200");
  EXPECT_EQ(run.environment.libraries.at("nccl"), "NCCL 2.27.9");
  ASSERT_EQ(run.rows.size(), 8U);
  const RowKey key = {.collective = "all_reduce",
                      .type = DataType::float32,
                      .op = ReduceOp::sum,
                      .message_bytes = 2097152,
                      .count = 524288,
                      .ranks = 4,
                      .nodes = 2,
                      .root = std::nullopt,
                      .in_place = true,
                      .backend = "nccl",
                      .mode = "streaming",
                      .aggregation = "mean",
                      .ranks_per_process = 2};
  EXPECT_EQ(row(read, 5).key, key);
  EXPECT_EQ(row(read, 5).timing->median_s, 60.87e-6);
  EXPECT_EQ(row(read, 5).timing->samples_s, std::vector{60.87e-6});
  EXPECT_EQ(row(read, 5).timing->operations_per_sample, 20U);
  EXPECT_FALSE(row(read, 5).timing->interval95_s);
  EXPECT_NEAR(*row(read, 5).bus_bandwidth_Bps, 2097152 / 60.87e-6 * 1.5, 1);
  EXPECT_EQ(row(read, 5).flags, std::vector<std::string>{"imported"});
  EXPECT_EQ(row(read, 5).check->wrong_elements, 0U);
}

TEST(NcclTestsText, TableOfAnOldVersionInALog) {
  const std::string text = import_example("nccl-tests-2.10.txt");
  EXPECT_EQ(import_error(text),
            "FILE: the text does not tell which collective this is: import it with --collective");
  const ImportedRuns read = imported(text, {.collective = "all_gather"});
  ASSERT_EQ(read.runs.at(0).rows.size(), 6U);
  EXPECT_EQ(read.runs[0].run.imported_from, "nccl-tests");
  EXPECT_EQ(row(read, 0).key.message_bytes, 1024U);
  EXPECT_EQ(row(read, 0).key.count, 64U);
  EXPECT_EQ(row(read, 0).key.nodes, 1);
  EXPECT_FALSE(row(read, 0).key.op);
  EXPECT_EQ(row(read, 5).timing->median_s, 19.7e-6);
  // What the sizes say of the collective must be so.
  EXPECT_EQ(import_error(text, {.collective = "all_reduce"}),
            "FILE: line 13: 64 elements of float on 4 ranks are 256 bytes in all_reduce, not 1024: "
            "check --ranks and --collective");
}

TEST(NcclTestsText, ColumnsOfEnqueueingOfIterationsAndOfTheTimeOfDay) {
  const ImportedRuns read = imported(import_example("nccl-tests-columns.txt"));
  ASSERT_EQ(read.runs.at(0).rows.size(), 6U);
  EXPECT_EQ(row(read, 0).status, RowStatus::skipped);
  EXPECT_EQ(row(read, 0).reason, "its output has no time for it");
  EXPECT_EQ(row(read, 2).reason,
            "-C hides its time, and its bandwidth has too few digits to tell it");
  // 51.94 GB/s of 8 MiB: 161.5 us.
  EXPECT_EQ(row(read, 4).status, RowStatus::ok);
  EXPECT_NEAR(row(read, 4).timing->median_s, 161.5e-6, 0.02e-6);
  EXPECT_EQ(row(read, 4).timing->enqueue_s, std::vector{3.4e-6});
  EXPECT_EQ(row(read, 4).key.mode, "isolated_unaligned");
  EXPECT_EQ(row(read, 4).key.grouped_operations, 4U);
  EXPECT_EQ(row(read, 4).timing->operations_per_sample, 80U);
  EXPECT_FALSE(row(read, 4).check);
}

TEST(NcclTestsText, SeveralRunsBetweenLinesOfOthers) {
  const ImportedRuns read = imported(import_example("nccl-tests-several.txt"));
  ASSERT_EQ(read.runs.size(), 3U);
  EXPECT_EQ(row(read, 4, 0).key.collective, "broadcast");
  EXPECT_EQ(row(read, 4, 0).key.root, 3);
  EXPECT_FALSE(row(read, 4, 0).cycle);
  EXPECT_EQ(row(read, 2, 1).key.collective, "hypercube");  // whose table lacks a word
  EXPECT_EQ(row(read, 2, 1).timing->median_s, 99.5e-6);
  EXPECT_NEAR(*row(read, 2, 1).bus_bandwidth_Bps, 1048576 * 0.75 / 99.5e-6, 1);
  EXPECT_EQ(row(read, 2, 2).status, RowStatus::wrong);
  EXPECT_EQ(row(read, 2, 2).check->wrong_elements, 17U);
  EXPECT_EQ(row(read, 3, 2).status, RowStatus::skipped);
  EXPECT_EQ(row(read, 3, 2).reason, "in place, alltoall would overwrite what it has yet to send");
  EXPECT_NE(read.runs[0].run.id, read.runs[1].run.id);
  EXPECT_EQ(read.runs, imported(import_example("nccl-tests-several.txt")).runs);
}

TEST(NcclTestsText, SweepThatWasRepeated) {
  std::string text = import_example("nccl-tests-2.19.txt");
  const std::size_t rows = text.find("           8 "), end = text.find("# Out of");
  text.insert(end, text.substr(rows, end - rows));
  const ImportedRuns read = imported(text);
  ASSERT_EQ(read.runs.at(0).rows.size(), 16U);
  EXPECT_EQ(read.runs[0].config.cycles, 2U);
  EXPECT_EQ(row(read, 7).cycle, 1U);
  EXPECT_EQ(row(read, 8).cycle, 2U);
}

TEST(NcclTestsText, WhatWasCutOffIsIncomplete) {
  const std::string text = import_example("nccl-tests-2.19.txt");
  const ImportedRuns read = imported(text.substr(0, text.find("  1073741824") + 60));
  EXPECT_TRUE(read.runs.at(0).incomplete);
  EXPECT_EQ(read.runs[0].run.status, RunStatus::running);
  EXPECT_EQ(read.runs[0].rows.size(), 6U);
  const ImportedRuns failed =
      imported(text.substr(0, text.find("  1073741824")) +
               "node0: Test NCCL failure all_reduce.cu:44 'unhandled cuda error'\n");
  EXPECT_EQ(failed.runs.at(0).run.status, RunStatus::error);
  EXPECT_EQ(failed.runs[0].run.message,
            "node0: Test NCCL failure all_reduce.cu:44 'unhandled cuda error'");
}

TEST(NcclTestsText, WhatContradictsItselfIsRefused) {
  const std::string text = import_example("nccl-tests-2.19.txt");
  EXPECT_EQ(
      import_error(with(text, "  51.15 ", "  61.15 ")),
      "FILE: the average bus bandwidth 95.5951 GB/s is not that of its rows, 96.8462: rows are "
      "missing, or were changed");
  EXPECT_EQ(
      import_error(with(with(text, "  51.15 ", "  61.15 "), "# Avg", "# Avx")),
      "FILE: line 16: the bus bandwidth 61.15 GB/s is not that of 2097152 bytes in 61.5 us by "
      "all_reduce on 4 ranks: check --ranks and --collective");
  EXPECT_EQ(
      import_error(with(text, "   524288", "   524287")),
      "FILE: line 16: 524287 elements of float on 4 ranks are 2097148 bytes in all_reduce, not "
      "2097152: check --ranks and --collective");
  EXPECT_EQ(import_error(with(text, "bounds values : 0 OK", "bounds values : 4 FAILED")),
            "FILE: 4 checks found values out of bounds, and no row has wrong ones: rows are "
            "missing, or were changed");
  EXPECT_EQ(import_error(with(text, "51.15       0 ", "51.15       3 ")),
            "FILE: rows have wrong values, and no check found any out of bounds: lines were "
            "changed");
  EXPECT_EQ(import_error(text, {.ranks = 8}),
            "FILE: --ranks: the text itself tells the number of ranks, and otherwise");
}

TEST(NcclTestsText, WhatIsDamagedIsNamedByItsLine) {
  const std::string text = import_example("nccl-tests-2.19.txt");
  EXPECT_EQ(
      import_error(with(text, "   61.50   34.10   51.15       0    60.87   34.45   51.68       0",
                        "   61.50   34.10")),
      "FILE: line 16: this row has fewer columns than its table");
  EXPECT_EQ(import_error(with(text, "61.50", "6l.50")), "FILE: line 16: '6l.50' is no number");
  EXPECT_EQ(import_error(with(text, "61.50", "-61.50")), "FILE: line 16: '-61.50' is below 0");
  EXPECT_EQ(import_error(with(text, "524288     float     sum", "524288     float    sums")),
            "FILE: line 16: 'sums' is no reduction that is known");
  EXPECT_EQ(import_error(with(text, "Rank  1 Group", "Rank  x Group")),
            "FILE: line 7: this line of the list of devices is damaged");
  EXPECT_EQ(import_error(with(text, "nGpus 2", "nGpus 9999")),
            "FILE: line 3:  nGpus 9999 is not from 1 to 1024");
}

TEST(NcclTestsText, WhatNothingTellsIsAskedFor) {
  const std::string text = import_example("nccl-tests-2.19.txt");
  std::string without = text;
  for (int rank = 0; rank < 4; ++rank) {
    const std::size_t line = without.find("#  Rank");
    without.erase(line, without.find('\n', line) + 1 - line);
  }
  EXPECT_EQ(import_error(without),
            "FILE: the text does not tell the number of ranks: import it with --ranks");
  EXPECT_EQ(import_error(without, {.ranks = 4}),
            "FILE: the text does not tell the number of hosts: import it with --nodes");
  EXPECT_EQ(imported(without, {.ranks = 4, .nodes = 2}).runs.at(0).rows,
            imported(text).runs.at(0).rows);
  EXPECT_EQ(
      import_error(with(text, "# nThread ", "# nThreads ")),
      "FILE: the line '# nThread ...' is missing, which says how it measured: give its output "
      "from the first line on");
  EXPECT_EQ(
      import_error(with(text, "Rank  1 Group  0", "Rank  1 Group  1")),
      "FILE: its ranks were split into groups, of which nccl-tests prints one number for all: "
      "such a run cannot be imported");
  EXPECT_EQ(imported(text, {.aggregation = "max"}).runs.at(0).rows.at(0).key.aggregation, "max");
}

// What --nccl-compat prints, and convert --to nccl-tests.
TEST(NcclTestsText, OurOwnTablesComeBack) {
  Document document = example::ended();
  document.rows = {example::measured(false), example::measured(true)};
  for (Record& record : document.rows) {
    record.key.message_bytes = record.requested_bytes = 33554432;
    record.key.count = 8388608;
    record.timing->median_s = 9645.36e-6;
    record.algorithm_bandwidth_Bps = record.bus_bandwidth_Bps = 33554432 / 9645.36e-6;
  }
  for (RankFacts& rank : document.environment.ranks) rank.device_bus_id = "cpu";
  const TableStyle style = {.nccl_tests = true};
  const std::string text = table_header(document, {}, style) + table_rows(document.rows, style) +
                           table_footer(document, style);
  const ImportedRuns read = imported(text, {.aggregation = "max"});
  ASSERT_EQ(read.runs.at(0).rows.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(row(read, i).key, document.rows[i].key);
    EXPECT_EQ(row(read, i).timing->median_s, document.rows[i].timing->median_s);
    EXPECT_NEAR(*row(read, i).bus_bandwidth_Bps, *document.rows[i].bus_bandwidth_Bps, 1);
  }
  EXPECT_EQ(import_error(table_header(document, {}) + table_rows(document.rows)),
            "FILE: line 1: this table is one of collbench: read the file that -J wrote, which says "
            "more");
}

}  // namespace
}  // namespace collbench
