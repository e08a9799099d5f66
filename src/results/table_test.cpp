// SPDX-License-Identifier: Apache-2.0
// Tests of the table against text written by hand from the formats of nccl-tests 2.19.6.
#include "results/table.h"

#include <gtest/gtest.h>

#include "results/example_document.h"

namespace collbench {
namespace {

/// A measured all_reduce of float sums, 8 bytes unless changed.
Record row(bool in_place, double time_us, double algbw_GBps, double busbw_GBps) {
  Record row = example::measured(in_place);
  row.timing->median_s = time_us * 1e-6;
  row.algorithm_bandwidth_Bps = algbw_GBps * 1e9;
  row.bus_bandwidth_Bps = busbw_GBps * 1e9;
  return row;
}

TEST(Table, Header) {
  EXPECT_EQ(
      table_header(example::started(),
                   std::vector<std::string>{"backend mpi: no GPU here", "x\ny"}),
      "# collbench 0.1.0 (nccl-tests 2.19.6 layout) mpi=4.0.2\n"
      "# Collective test starting: all_reduce_perf\n"
      "# nThread 1 nGpus 1 minBytes 8 maxBytes 64 step: 2(factor) warmup iters: auto iters: auto "
      "agg iters: 1 validation: 1 graph: 0 unalign: 0\n"
      "# backend mpi: no GPU here\n"
      "# x y\n"
      "#\n"
      "# Using devices\n"
      "#  Rank  0 Group  0 Pid  22537 on      node0 device  0 [cpu] AMD EPYC 7B13\n"
      "#  Rank  1 Group  0 Pid    417 on      node1 device  0 [cpu] AMD EPYC 7B13\n"
      "#\n"
      "# time is the median of a row's samples, each the maximum over ranks; nccl-tests has one "
      "sample, the mean over ranks\n"
      // clang-format off
      "#                                                              out-of-place                       in-place          \n"
      "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong \n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)         \n"
      // clang-format on
  );
}

TEST(Table, HeaderOfFixedIterationsAndSteps) {
  Document document = example::started();
  document.config.step_factor.reset();
  document.config.step_bytes = 1048576;
  document.config.fixed_iterations = 20;
  document.config.warmup_iterations = 5;
  document.config.aggregation = "mean";
  document.environment.libraries = {{"nccl", "2.28.9"}, {"cuda", "CUDA 13.0"}};
  const std::string header = table_header(document);
  EXPECT_NE(header.find("layout) cuda=13.0 nccl=2.28.9\n"), std::string::npos);
  EXPECT_NE(header.find(" step: 1048576(bytes) warmup iters: 5 iters: 20 "), std::string::npos);
  EXPECT_NE(header.find(" samples, each the mean over ranks;"), std::string::npos);
}

TEST(Table, Row) {
  // clang-format off
  EXPECT_EQ(table_row(row(false, 285.21, 0, 0), row(true, 81.77, 0.001, 0.00151)),
            "           8             2     float     sum      -1   285.21    0.00    0.00       0    81.77    0.00    0.00       0\n");
  // clang-format on
}

TEST(Table, SingleIterationsHaveColumnsOfTheirOwnAndEnqueueingThatOfTheTime) {
  Document document = example::started();
  document.config.skipped_iterations = 1;
  document.config.enqueue_time = true;
  document.config.grouped_operations = 4;
  document.config.offset_elements = 3;
  const std::string header = table_header(document);
  EXPECT_NE(header.find("agg iters: 4 validation: 1 graph: 0 unalign: 3\n"), std::string::npos);
  // clang-format off
  EXPECT_TRUE(header.ends_with(
      "#                                                              out-of-place                                                           in-place                                              \n"
      "#       size         count      type   redop    root  cputime   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv%  cputime   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv% \n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)     (us)     (us)      (%)     (us)  (GB/s)  (GB/s)             (us)     (us)     (us)      (%) \n")) << header;
  Record in_place = row(true, 81.77, 0.001, 0.00151);
  in_place.timing->enqueue_s = {70e-6, 71.5e-6, 90e-6};
  in_place.timing->iteration_s = {300e-6, 80e-6, 100e-6};
  in_place.timing->skipped_iterations = 1;
  EXPECT_EQ(table_row(row(false, 285.21, 0, 0), in_place),
            "           8             2     float     sum      -1   285.21    0.00    0.00       0      N/A      N/A      N/A      N/A    71.50    0.00    0.00       0    80.00   100.00   100.00    11.11\n");
  // clang-format on
}

TEST(Table, NumbersFitTheirColumns) {
  Record large = row(false, 3000018, 5.7265887, 1234.567);
  large.key.message_bytes = 17179869184;
  large.key.count = 4294967296;
  large.key.type = DataType::bfloat16;
  large.key.op.reset();
  large.key.root = 3;
  large.check->wrong_elements = 123456;
  Record other = row(true, 12345678.9, 123456.7, 12345678);
  other.check->wrong_elements = 1234567;
  // clang-format off
  EXPECT_EQ(table_row(large, other),
            " 17179869184    4294967296  bfloat16    none       3  3000018    5.73  1234.6  123456  1.2e+07  123457   1e+07   1e+06\n");
  EXPECT_EQ(table_row(row(false, 99999.99, 999.99, 9999.99), row(true, 12345.678, 999.996, 99999.9)),
            "           8             2     float     sum      -1   100000  999.99   10000       0  12345.7  1000.0  100000       0\n");
  // clang-format on
}

TEST(Table, OneRankHasNoBusBandwidthAndNoCheckNoCount) {
  Record out_of_place = example::one_rank();
  Record in_place = out_of_place;
  in_place.key.in_place = true;
  // clang-format off
  EXPECT_EQ(table_row(out_of_place, in_place),
            " 17179869184    4294967296     float     sum      -1  3000018    5.73     N/A     N/A  3000018    5.73     N/A     N/A\n");
  // clang-format on
}

TEST(Table, ASkippedRowIsACommentWithItsReason) {
  Record in_place = example::skipped();
  in_place.key.in_place = true;
  // clang-format off
  EXPECT_EQ(table_row(example::skipped(), in_place),
            "#         11             0  bfloat16    none      -1  skipped: 8 bytes are less than one 16-byte block for each of 2 ranks\n");
  in_place.status = RowStatus::failed;
  in_place.reason = "MPI_Allgather:\nMPI_ERR_OTHER";
  EXPECT_EQ(table_row(example::skipped(), in_place),
            "#         11             0  bfloat16    none      -1  out-of-place skipped: 8 bytes are less than one 16-byte block for each of 2 ranks\n"
            "#         11             0  bfloat16    none      -1  in-place failed: MPI_Allgather: MPI_ERR_OTHER\n");
  // clang-format on
}

TEST(Table, AWrongPlacementHasItsNumbersAndItsReason) {
  Record wrong = example::wrong();
  // clang-format off
  EXPECT_EQ(table_row(row(false, 285.21, 0, 0), wrong),
            "           8             2     float     sum      -1   285.21    0.00    0.00       0   285.21    0.00    0.00       3\n"
            "#          8             2     float     sum      -1  in-place wrong: 3 wrong of 4 elements, the first: rank 1, byte 4: expected 3, found 0\n");
  Record out_of_place = wrong;
  out_of_place.key.in_place = false;
  EXPECT_EQ(table_row(out_of_place, wrong),
            "           8             2     float     sum      -1   285.21    0.00    0.00       3   285.21    0.00    0.00       3\n"
            "#          8             2     float     sum      -1  wrong: 3 wrong of 4 elements, the first: rank 1, byte 4: expected 3, found 0\n");
  wrong.reason = "another";
  EXPECT_EQ(table_row(out_of_place, wrong),
            "           8             2     float     sum      -1   285.21    0.00    0.00       3   285.21    0.00    0.00       3\n"
            "#          8             2     float     sum      -1  out-of-place wrong: 3 wrong of 4 elements, the first: rank 1, byte 4: expected 3, found 0\n"
            "#          8             2     float     sum      -1  in-place wrong: another\n");
  // clang-format on
}

TEST(Table, OnePlacementOfTwo) {
  Record skipped = example::failed();
  skipped.status = RowStatus::skipped;
  skipped.reason = "not in place";
  // clang-format off
  EXPECT_EQ(table_row(row(false, 285.21, 0, 0), skipped),
            "           8             2     float     sum      -1   285.21    0.00    0.00       0      N/A     N/A     N/A     N/A\n"
            "#          8             2     float     sum       1  in-place skipped: not in place\n");
  // clang-format on
}

TEST(Table, RowsAreTakenInPairs) {
  Record next = row(false, 1, 1, 1);
  next.key.message_bytes = next.requested_bytes = 16;
  const std::vector<Record> rows = {row(false, 1, 1, 1), row(true, 2, 2, 2), next};
  // clang-format off
  EXPECT_EQ(table_rows(rows),
            "           8             2     float     sum      -1     1.00    1.00    1.00       0     2.00    2.00    2.00       0\n"
            "          16             2     float     sum      -1     1.00    1.00    1.00       0      N/A     N/A     N/A     N/A\n");
  EXPECT_EQ(table_rows(std::vector{row(true, 2, 2, 2)}),
            "           8             2     float     sum      -1      N/A     N/A     N/A     N/A     2.00    2.00    2.00       0\n");
  // clang-format on
  EXPECT_EQ(table_rows({}), "");
}

TEST(Table, EachGroupHasRowsOfItsOwnBelowItsName) {
  // As they are measured: all groups out of place, then all in place.
  std::vector<Record> rows = {row(false, 1, 1, 1), row(false, 3, 1, 1), row(true, 2, 2, 2),
                              row(true, 4, 2, 2)};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].key.group = {"MOD 2", static_cast<int>(i % 2), 2};
  }
  // clang-format off
  EXPECT_EQ(table_rows(rows),
            "# group 0 of 2\n"
            "           8             2     float     sum      -1     1.00    1.00    1.00       0     2.00    2.00    2.00       0\n"
            "# group 1 of 2\n"
            "           8             2     float     sum      -1     3.00    1.00    1.00       0     4.00    2.00    2.00       0\n");
  // clang-format on
}

TEST(Table, HeaderAndFooterOfGroups) {
  const Document document = example::split();
  const std::string header = table_header(document);
  EXPECT_NE(header.find(" Rank  1 Group  1 Pid "), std::string::npos);
  EXPECT_NE(header.find("# Groups of ranks by MOD 2, all at the same time, each with rows of its "
                        "own:\n"
                        "#  Group  0: ranks 0\n"
                        "#  Group  1: ranks 1\n"),
            std::string::npos)
      << header;
  EXPECT_EQ(table_footer(document).find("# group 0 of 2\n"
                                        "# Out of bounds values : 0 OK\n"
                                        "# Avg bus bandwidth    : N/A (1 rank) \n"
                                        "# group 1 of 2\n"
                                        "# Out of bounds values : 0 OK\n"
                                        "# Avg bus bandwidth    : N/A (1 rank) \n"),
            0U);
}

Document with(std::vector<Record> rows) {
  Document document = example::started();
  document.rows = std::move(rows);
  return document;
}

TEST(Table, Footer) {
  EXPECT_EQ(
      table_footer(with({row(false, 1, 1, 0.0005), row(true, 1, 1, 0.00057), example::skipped()})),
      "# Out of bounds values : 0 OK\n"
      "# Avg bus bandwidth    : 0.000535 \n"
      "# Peak bus bandwidth   : 0.00057 at 8 B in place\n"
      "#\n"
      "# Collective test concluded: all_reduce_perf\n"
      "#\n"
      "\n");
}

TEST(Table, FooterCountsWrongPlacementsNotElementsAndLeavesThemOutOfTheAverage) {
  Record wrong = example::wrong();
  wrong.bus_bandwidth_Bps = 1e12;
  EXPECT_EQ(table_footer(with({wrong, wrong, row(false, 1, 1, 0.5)})),
            "# Out of bounds values : 2 FAILED\n"
            "# Avg bus bandwidth    : 0.5 \n"
            "# The average leaves out placements with wrong data\n"
            "# Peak bus bandwidth   : 0.5 at 8 B out of place\n"
            "#\n"
            "# Collective test concluded: all_reduce_perf\n"
            "#\n"
            "\n");
  EXPECT_NE(table_footer(with({wrong})).find("# Avg bus bandwidth    : N/A (all data wrong) \n"),
            std::string::npos);
}

TEST(Table, FooterSaysWhatTheThresholdsCameTo) {
  Document document = with({row(false, 1, 1, 8), row(true, 1, 1, 10)});
  document.config.thresholds = {10.5e9, {{11, 8e9}, {64, 9e9}}};
  EXPECT_EQ(table_footer(document),
            "# Out of bounds values : 0 OK\n"
            "# Avg bus bandwidth    : 9 FAILED\n"
            "# NCCL_TESTS_MIN_BW is 10.5 GB/s, less 10 %: the average has to reach 9.45 GB/s\n"
            "# Min bus bandwidth    : 8 of at least 8 at 11 B OK\n"
            "# Min bus bandwidth    : N/A of at least 9 at 64 B INCONCLUSIVE\n"
            "# Peak bus bandwidth   : 10 at 8 B in place\n"
            "#\n"
            "# Collective test concluded: all_reduce_perf\n"
            "#\n"
            "\n");
  document.config.thresholds.mean_bus_bandwidth_Bps = 10e9;
  EXPECT_NE(table_footer(document).find("# Avg bus bandwidth    : 9 OK\n"), std::string::npos);
}

TEST(Table, FooterSaysWhatIsNotKnown) {
  const std::string one_rank = table_footer(with({example::one_rank()}));
  EXPECT_NE(one_rank.find("# Out of bounds values : N/A (nothing checked)\n"), std::string::npos);
  EXPECT_NE(one_rank.find("# Avg bus bandwidth    : N/A (1 rank) \n"), std::string::npos);
  EXPECT_NE(table_footer(with({example::skipped()}))
                .find("# Avg bus bandwidth    : N/A (nothing measured) \n"),
            std::string::npos);
}

TEST(Table, FooterOfARunThatEndedEarly) {
  Document document = with({example::measured(false)});
  document.run.status = RunStatus::timeout;
  document.run.message = "no progress\nfor 120 s";
  EXPECT_NE(table_footer(document).find(
                "# Collective test ended early: all_reduce_perf: timeout: no progress for 120 s\n"),
            std::string::npos);
  document.run.status = RunStatus::running;
  document.incomplete = true;
  EXPECT_NE(
      table_footer(document).find("# Collective test incomplete: all_reduce_perf: the run was "
                                  "killed, or is still going\n"),
      std::string::npos);
}

}  // namespace
}  // namespace collbench
