// SPDX-License-Identifier: Apache-2.0
// The OSU Micro-Benchmarks and the Intel MPI Benchmarks.
#include <gtest/gtest.h>

#include "import/import_examples.h"

namespace collbench {
namespace {

const ImportFacts kFourOnTwo = {.ranks = 4, .nodes = 2};
const ImportFacts kTwoOnEach = {.ranks_per_node = 2};

TEST(Osu, RowsOfEveryType) {
  const ImportedRuns read = imported(import_example("osu-7.4.txt"), kFourOnTwo);
  ASSERT_EQ(read.runs.size(), 1U);
  ASSERT_EQ(read.runs[0].rows.size(), 6U);
  EXPECT_EQ(read.runs[0].run.imported_from, "OSU Micro-Benchmarks 7.4");
  EXPECT_EQ(read.runs[0].config.program, "osu_allreduce");
  const RowKey key = {.collective = "all_reduce",
                      .type = DataType::int8,
                      .op = ReduceOp::sum,
                      .message_bytes = 1048576,
                      .count = 1048576,
                      .ranks = 4,
                      .nodes = 2,
                      .root = std::nullopt,
                      .in_place = false,
                      .backend = "mpi",
                      .mode = "isolated",
                      .aggregation = "mean"};
  EXPECT_EQ(row(read, 3).key, key);
  EXPECT_EQ(row(read, 3).timing->median_s, 412.35e-6);
  EXPECT_NEAR(*row(read, 3).bus_bandwidth_Bps, 1048576 * 1.5 / 412.35e-6, 1);
  EXPECT_EQ(row(read, 5).key.type, DataType::float32);
  EXPECT_EQ(row(read, 5).key.count, 262144U);
}

TEST(Osu, SeveralTestsOneAfterTheOther) {
  const ImportedRuns read = imported(import_example("osu-5.6.txt"), kFourOnTwo);
  ASSERT_EQ(read.runs.size(), 2U);
  // Sizes of an all-gather are those of blocks.
  EXPECT_EQ(row(read, 1).key.message_bytes, 4096U);
  EXPECT_EQ(row(read, 1).key.count, 1024U);
  EXPECT_EQ(row(read, 1).timing->operations_per_sample, 1000U);
  EXPECT_NEAR(row(read, 1).timing->max_over_ranks_s.at(0), 7.25e-6 * 1.1, 0.006e-6);
  // Of a reduce-scatter they are those of the whole.
  EXPECT_EQ(row(read, 0, 1).key.collective, "reduce_scatterv");
  EXPECT_EQ(row(read, 0, 1).status, RowStatus::skipped);
  EXPECT_EQ(row(read, 0, 1).reason, "4 bytes are no whole elements or blocks of equal size");
  EXPECT_EQ(row(read, 1, 1).key.message_bytes, 16U);
  EXPECT_EQ(row(read, 1, 1).key.count, 1U);
  EXPECT_EQ(row(read, 1, 1).key.type, DataType::float32);
  EXPECT_EQ(row(read, 1, 1).key.backend, "mpi_cuda");
  EXPECT_EQ(read.left_out,
            std::vector<std::string>{
                "line 15: MPI Latency Test v5.6.3 measures what nothing here does: left out"});
}

TEST(Osu, WhatItDoesNotTellIsAskedFor) {
  const std::string text = import_example("osu-7.4.txt");
  EXPECT_EQ(import_error(text),
            "FILE: the text does not tell the number of ranks: import it with --ranks");
  EXPECT_EQ(import_error(text, {.ranks = 4}),
            "FILE: the text does not tell the number of hosts: import it with --nodes");
  EXPECT_EQ(import_error(with(text, "MPI_CHAR", "MPI_SHORT"), kFourOnTwo),
            "FILE: the text does not tell the type of the elements: import it with --type");
  EXPECT_EQ(import_error(with(text, "412.35", "fast"), kFourOnTwo),
            "FILE: line 8: 'fast' is no time");
}

TEST(Osu, RowsThatCannotBeReadAreNotLost) {
  const std::string text = import_example("osu-7.4.txt");
  const auto error = [&](const std::string& from, const std::string& to) {
    return import_error(with(text, from, to), kFourOnTwo);
  };
  EXPECT_EQ(error("1048576               412.35", "1O48576               412.35"),
            "FILE: line 8: '1O48576' is no size");
  EXPECT_EQ(error("412.35", "412.35 7"), "FILE: line 8: this row has other columns than its table");
  EXPECT_EQ(error("412.35", "0.00"), "FILE: line 8: '0.00' is no time");
  EXPECT_EQ(error("412.35", "412.35\n12:00:01 3\nreal 3.52\nsrun: job 7 of 2 steps"), "no error");
}

TEST(Osu, ATextThatEndsWithinARowIsIncomplete) {
  const std::string text = import_example("osu-7.4.txt");
  ASSERT_TRUE(text.ends_with("401.10\n"));
  const auto cut = [&](std::size_t characters) {
    return imported(text.substr(0, text.size() - characters), kFourOnTwo).runs.at(0);
  };
  EXPECT_EQ(cut(1).rows.size(), 6U);  // but for the end of its line all is there
  EXPECT_FALSE(cut(1).incomplete);
  for (const std::size_t characters : {2, 4, 6, 20}) {
    EXPECT_EQ(cut(characters).rows.size(), 5U) << characters;
    EXPECT_TRUE(cut(characters).incomplete) << characters;
  }
}

TEST(Imb, RowsOfEveryBenchmarkAndNumberOfProcesses) {
  const ImportedRuns read = imported(import_example("imb-2021.3.txt"), kTwoOnEach);
  ASSERT_EQ(read.runs.size(), 1U);
  const Document& run = read.runs[0];
  ASSERT_EQ(run.rows.size(), 14U);
  EXPECT_EQ(run.run.imported_from, "Intel MPI Benchmarks 2021.3");
  EXPECT_EQ(run.run.status, RunStatus::complete);
  EXPECT_EQ(run.config.arguments.at(0), "-npmin");
  EXPECT_EQ(row(read, 0).reason, "it has no bytes");
  EXPECT_EQ(row(read, 2).key.collective, "sendrecv");
  EXPECT_EQ(row(read, 2).key.mode, "streaming");
  EXPECT_EQ(row(read, 4).key.ranks, 2);
  EXPECT_EQ(row(read, 4).key.nodes, 1);
  const RowKey key = {.collective = "all_reduce",
                      .type = DataType::float32,
                      .op = ReduceOp::sum,
                      .message_bytes = 4194304,
                      .count = 1048576,
                      .ranks = 4,
                      .nodes = 2,
                      .root = std::nullopt,
                      .in_place = false,
                      .backend = "mpi",
                      .mode = "isolated",
                      .aggregation = "max"};
  EXPECT_EQ(row(read, 7).key, key);
  EXPECT_NEAR(row(read, 7).timing->median_s, 4100.5e-6 * 1.05, 0.006e-6);
  EXPECT_EQ(row(read, 7).timing->mean_over_ranks_s, std::vector{4100.5e-6});
  EXPECT_EQ(row(read, 7).timing->operations_per_sample, 10U);
  EXPECT_EQ(row(read, 8).key.collective, "reduce_scatterv");
  EXPECT_EQ(row(read, 8).key.message_bytes, 16U);  // Reduce_scatter: 4 bytes for each
  EXPECT_EQ(row(read, 12).status, RowStatus::skipped);
  EXPECT_TRUE(row(read, 12).reason.starts_with("out-of-mem.; needed X="));
  EXPECT_EQ(row(read, 13).key.root, 0);
}

TEST(Imb, HostsOfFewerProcessesAreKnownOnlyWhereTheyDoNotDependOnTheirPlaces) {
  const std::string text = import_example("imb-2021.3.txt");
  const ImportedRuns read = imported(text, {.nodes = 2});
  EXPECT_EQ(read.runs[0].rows.size(), 11U);
  EXPECT_EQ(read.left_out,
            std::vector<std::string>{
                "rows of 2 of 4 processes: on how many of the hosts these were is not told; "
                "--ranks-per-node tells it: left out"});
  const std::vector<std::pair<int, int>> known = {{1, 1}, {4, 2}};  // hosts of all, of two
  for (const auto& [nodes, of_two] : known) {
    const ImportedRuns whole = imported(text, {.nodes = nodes});
    EXPECT_EQ(row(whole, 4).key.nodes, of_two);
    EXPECT_EQ(row(whole, 7).key.nodes, nodes);
    EXPECT_TRUE(whole.left_out.empty());
  }
  EXPECT_EQ(import_error(text, {.nodes = 8}),
            "FILE: --nodes: there were 4 processes, too few for 8 hosts");
  EXPECT_EQ(import_error(text, {.nodes = 4, .ranks_per_node = 2}),
            "FILE: --nodes: the text itself tells the number of hosts, and otherwise");
}

TEST(Imb, WhatContradictsItselfIsRefused) {
  const std::string text = import_example("imb-2021.3.txt");
  const auto error = [&](const std::string& from, const std::string& to) {
    return import_error(with(text, from, to), kTwoOnEach);
  };
  EXPECT_EQ(error("# #processes = 4", "# #processes = 0"),
            "FILE: line 29: it has no number of processes");
  EXPECT_EQ(error("# #processes = 4", "#"),
            "FILE: line 32: no line '# #processes = ' before it says of how many this row is");
  EXPECT_EQ(error("2.09         2.31         2.20", "2.32         2.31         2.20"),
            "FILE: line 33: its least, mean and largest time are in no such order");
  EXPECT_EQ(error("2.09         2.31         2.20", "2.09         2.31         2.33"),
            "FILE: line 33: its least, mean and largest time are in no such order");
  EXPECT_EQ(error("2.09         2.31         2.20", "0.00         0.00         0.00"),
            "FILE: line 33: no operation takes 0 us");
  EXPECT_EQ(error("1024         1000 ", "1024            0 "),
            "FILE: line 33: '0' is no number of repetitions");
}

TEST(Import, FlagsThatContradictTheTextAreRefused) {
  const std::string imb = import_example("imb-2021.3.txt");
  const auto error = [&](const ImportFacts& facts) { return import_error(imb, facts); };
  EXPECT_EQ(error({.ranks = 8, .ranks_per_node = 2}),
            "FILE: --ranks: the text itself tells the number of ranks, and otherwise");
  EXPECT_EQ(error({.ranks = 4, .ranks_per_node = 2}), "no error");
  EXPECT_EQ(error({.ranks_per_node = 2, .collective = "all_reduce"}),
            "FILE: --collective: the text itself tells which collective this is, and otherwise");
  EXPECT_EQ(error({.ranks_per_node = 2, .aggregation = "mean"}),
            "FILE: --aggregation: the text itself tells how times are reduced, and otherwise");
  EXPECT_EQ(import_error(import_example("nccl-tests-2.19.txt"), {.type = DataType::bfloat16}),
            "FILE: --type: the text itself tells the type of the elements, and otherwise");
}

TEST(Import, OutputOfTwoProgramsIsNotHalfLost) {
  const std::string osu = import_example("osu-7.4.txt");
  EXPECT_EQ(import_error(osu + import_example("nccl-tests-2.19.txt"), kFourOnTwo),
            "FILE: it has output of nccl-tests and of OSU: give that of each program a file of its "
            "own");
  EXPECT_EQ(import_error(import_example("imb-2021.3.txt") + osu, kFourOnTwo),
            "FILE: it has output of OSU and of IMB: give that of each program a file of its own");
}

TEST(Imb, VersionsBefore2019MeantOtherThings) {
  const ImportedRuns read = imported(import_example("imb-2017.txt"), {.nodes = 1});
  ASSERT_EQ(read.runs.at(0).rows.size(), 2U);
  EXPECT_EQ(row(read, 0).reason, "4 bytes are no whole elements or blocks of equal size");
  EXPECT_EQ(row(read, 1).key.message_bytes, 1048576U);
  EXPECT_TRUE(read.runs[0].incomplete);
  EXPECT_EQ(read.left_out.size(), 2U);
  EXPECT_EQ(read.left_out[1],
            "line 45: Bcast: its root changes from operation to operation: left out");
}

TEST(Imb, SwitchesHaveManyWords) {
  const std::string text = import_example("imb-2021.3.txt");
  const auto mode = [&](const std::string& word) {
    const ImportedRuns read =
        imported(with(text, "IMB-MPI1 -npmin", "IMB-MPI1 -sync " + word + " -npmin"), kTwoOnEach);
    return row(read, 7).key.mode;
  };
  for (const char* word : {"on", "yes", "true", "enable", "1"}) EXPECT_EQ(mode(word), "isolated");
  for (const char* word : {"off", "no", "false", "disable", "0"}) {
    EXPECT_EQ(mode(word), "isolated_unaligned");
  }
}

TEST(Imb, FlagsChangeWhatWasMeasured) {
  const std::string text = import_example("imb-2021.3.txt");
  const ImportedRuns read = imported(
      with(text, "IMB-MPI1 -npmin", "IMB-MPI1 -sync off -root_shift on -npmin"), kTwoOnEach);
  EXPECT_EQ(row(read, 7).key.mode, "isolated_unaligned");
  EXPECT_EQ(read.left_out,
            std::vector<std::string>{
                "line 72: Bcast: its root changes from operation to operation: left out"});
  EXPECT_EQ(
      import_error(with(text, ", MPI-1 part", ", MPI-NBC part"), {.nodes = 2}),
      "FILE: line 2: MPI-NBC part measures what nothing here does: only MPI-1 part is imported");
}

TEST(Import, IsByContentAndNothingElse) {
  EXPECT_EQ(recognise(import_example("nccl-tests-2.10.txt")), ForeignFormat::nccl_tests_text);
  EXPECT_EQ(recognise(import_example("nccl-tests-1.json")), ForeignFormat::nccl_tests_json);
  EXPECT_EQ(recognise(import_example("osu-5.6.txt")), ForeignFormat::osu);
  EXPECT_EQ(recognise(import_example("imb-2017.txt")), ForeignFormat::imb);
  EXPECT_FALSE(recognise(R"({"rows": ["results", {"results": 1}], "schema": "x", "results": []})"));
  EXPECT_FALSE(recognise(R"({"a\"results": 1)"));
  std::string marked = "[1,0]<stdout>:";
  for (const char c : import_example("nccl-tests-2.10.txt")) {
    marked += c;
    if (c == '\n') marked += "[1,0]<stdout>:";
  }
  EXPECT_EQ(recognise(marked), ForeignFormat::nccl_tests_text);
  EXPECT_FALSE(recognise(""));
  EXPECT_FALSE(
      recognise("\x7f"
                "ELF"));
}

}  // namespace
}  // namespace collbench
