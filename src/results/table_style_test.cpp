// SPDX-License-Identifier: Apache-2.0
// Tests of what a table has besides nccl-tests' columns, or leaves out.
#include "results/table_style.h"

#include <gtest/gtest.h>
#include <time.h>

#include <cstdlib>

#include "results/example_document.h"
#include "results/json.h"
#include "results/table.h"

namespace collbench {
namespace {

const std::string kPair =
    "           8             2     float     sum      -1   285.21    0.00    0.00       0   "
    "285.21  "
    "  0.00    0.00       0";

Record at(Bytes bytes, double busbw_GBps) {
  Record row = example::measured(false);
  row.key.message_bytes = row.requested_bytes = bytes;
  row.bus_bandwidth_Bps = busbw_GBps * 1e9;
  return row;
}

TEST(TableStyle, NcclTestsHasItsFirstLineAndNoLineOfOurs) {
  Document document = example::started();
  document.environment.libraries = {{"nccl", "NCCL 2.27.9"}};
  document.config.warmup_iterations = 1;
  document.config.fixed_iterations = 20;
  const std::string header =
      table_header(document, std::vector<std::string>{"backend mpi"}, {.nccl_tests = true});
  EXPECT_TRUE(header.starts_with(
      "# nccl-tests version 2.19.6 nccl-headers=22709 nccl-library=22709\n"
      "# Collective test starting: all_reduce_perf\n"
      "# nThread 1 nGpus 1 minBytes 8 maxBytes 64 step: 2(factor) warmup iters: 1 iters: 20 agg "
      "iters: 1 validation: 1 graph: 0 unalign: 0\n"
      "#\n"
      "# Using devices\n"))
      << header;
  EXPECT_EQ(header.find("backend mpi"), std::string::npos);
  EXPECT_EQ(header.find("median"), std::string::npos);
  document.environment.libraries = {{"mpi", "MPICH 4.0.2"}};
  EXPECT_TRUE(table_header(document, {}, {.nccl_tests = true})
                  .starts_with("# nccl-tests version 2.19.6 nccl-headers=0 nccl-library=0\n"));
}

TEST(TableStyle, NcclTestsEndsWithItsOwnLinesOnly) {
  Document document = example::started();
  document.rows = {at(8, 1), at(16, 4), at(32, 4)};
  document.rows[0].flags = {"drift"};
  document.rows[0].check.reset();
  document.rows[1].check.reset();
  document.rows[2].check.reset();
  document.config.thresholds.mean_bus_bandwidth_Bps = 10e9;
  EXPECT_EQ(table_footer(document, {.nccl_tests = true}),
            "# Out of bounds values : 0 OK\n"
            "# Avg bus bandwidth    : 3 FAILED\n"
            "#\n"
            "# Collective test concluded: all_reduce_perf\n"
            "#\n"
            "\n");
}

TEST(TableStyle, NcclTestsHasAReasonOnlyWhereThereIsNoRow) {
  Record skipped = example::skipped();
  skipped.key.in_place = true;
  EXPECT_EQ(table_row(example::measured(false), example::wrong(), {.nccl_tests = true}).find('#'),
            std::string::npos);
  EXPECT_NE(table_row(example::skipped(), skipped, {.nccl_tests = true}).find("skipped: "),
            std::string::npos);
}

TEST(TableStyle, PeakAndPlateauFollow) {
  Document document = example::started();
  document.rows = {at(8, 1), at(16, 3.9), at(32, 4)};
  EXPECT_NE(table_footer(document).find(
                "# Peak bus bandwidth   : 4 at 32 B out of place\n"
                "# Plateau              : 3.95 from 16 B on (median; each row within 10 % of the "
                "peak)\n#\n"),
            std::string::npos)
      << table_footer(document);
}

TEST(TableStyle, TimestampsStandInLocalTimeAtTheEndOfARow) {
  setenv("TZ", "Etc/GMT-2", 1);
  tzset();
  Record in_place = example::measured(true);
  in_place.ended = "2026-03-01T23:00:07Z";
  EXPECT_EQ(table_row(example::measured(false), in_place, {.timestamps = true}),
            kPair + "  2026-03-02 01:00:07\n");
  in_place.ended.clear();
  EXPECT_EQ(table_row(example::measured(false), in_place, {.timestamps = true}),
            kPair + std::string(21, ' ') + "\n");
  unsetenv("TZ");
  tzset();
  const std::string header = table_header(example::started(), {}, {.timestamps = true});
  EXPECT_NE(header.find("  #wrong           timestamp\n"), std::string::npos);
  EXPECT_NE(header.find("(GB/s)           %Y-%m-%d %H:%M:%S\n"), std::string::npos);
}

TEST(TableStyle, StatisticsStandBesideARowOrBelowItWhereThereIsNoRoom) {
  const Record first = example::measured(false), second = example::measured(true);
  const std::string beside =
      "    3.33    1.30     0:83%    3.33    1.30     0:83%\n";  // (288.89875 - 285.2025) / 285.215
  const std::string below = "#" + std::string(51, ' ') +
                            "     3.33    1.30           0:83%     3.33    1.30           0:83%\n";
  for (const std::size_t width : {0UL, 170UL, 500UL}) {
    EXPECT_EQ(table_row(first, second, {.statistics = true, .width = width}), kPair + beside);
  }
  EXPECT_EQ(table_row(first, second, {.statistics = true, .width = 169}), kPair + "\n" + below);
  EXPECT_NE(
      table_row(first, second, {.timestamps = true, .statistics = true, .width = 190}).find(below),
      std::string::npos);
  const std::string header = table_header(example::started(), {}, {.statistics = true});
  EXPECT_NE(header.find("#wrong      +-     iqr   slowest      +-     iqr   slowest\n"),
            std::string::npos)
      << header;
}

TEST(TableStyle, WhatIsBadIsRedWhereColoursAreWanted) {
  Document document = example::started();
  document.rows = {example::wrong()};
  const TableStyle colour = {.colour = true};
  EXPECT_NE(
      table_footer(document, colour).find("\x1b[31m# Out of bounds values : 1 FAILED\x1b[0m\n"),
      std::string::npos);
  EXPECT_NE(table_rows(document.rows, colour).find("\x1b[31m#"), std::string::npos);
  document.rows = {at(8, 1), example::skipped()};
  EXPECT_EQ((table_rows(document.rows, colour) + table_footer(document, colour)).find('\x1b'),
            std::string::npos);
  document.config.thresholds = {2e9, {{8, 3e9}}};
  const std::string footer = table_footer(document, colour);
  EXPECT_NE(footer.find("\x1b[31m# Avg bus bandwidth    : 1 FAILED\x1b[0m\n"), std::string::npos);
  EXPECT_NE(footer.find("\x1b[31m# Min bus bandwidth"), std::string::npos);
}

TEST(TableHeader, SaysHowRanksShareAProcessAndWhatAGraphIs) {
  Document document = example::started();
  document.config.threads_per_process = 2;
  document.config.gpus_per_thread = 4;
  document.config.mode = "graph";
  document.config.graph_launches = 5;
  const std::string header = table_header(document);
  EXPECT_NE(header.find("# nThread 2 nGpus 4 "), std::string::npos) << header;
  EXPECT_NE(header.find(" graph: 5 "), std::string::npos) << header;
  EXPECT_NE(header.find("# each process has 8 ranks, each a thread with its GPU; nccl-tests'"),
            std::string::npos)
      << header;
  EXPECT_NE(header.find("# mode graph: a sample replays 5 times what"), std::string::npos)
      << header;
}

TEST(TableRow, IsTheSameFromTheFileAsFromTheRun) {
  // Half a digit of the table, which the file's digits and binary fractions take to different
  // sides.
  Record record = example::measured(false);
  record.timing->median_s = 25.6150000000000008e-6;
  record.timing->samples_s = {record.timing->median_s};
  record.timing->interval95_s.reset();
  record.timing->rank_last_count.clear();
  record.timing->rank_median_s.clear();
  Document document = example::ended();
  document.rows = {record};
  const Document read = document_from_json(to_json(document), "FILE");
  EXPECT_EQ(table_rows(read.rows), table_rows(document.rows));
}

}  // namespace
}  // namespace collbench
