// SPDX-License-Identifier: Apache-2.0
#include "import/nccl_tests_json.h"

#include <gtest/gtest.h>

#include "import/import_examples.h"
#include "results/json.h"

namespace collbench {
namespace {

TEST(NcclTestsJson, FileOfTheNewestVersion) {
  const ImportedRuns read = imported(import_example("nccl-tests-3.json"));
  ASSERT_EQ(read.runs.at(0).rows.size(), 4U);
  const Document& run = read.runs[0];
  EXPECT_EQ(run.config.program, "all_reduce_perf");
  EXPECT_EQ(run.config.arguments.at(1), "-b");
  EXPECT_TRUE(run.environment.variables.empty());  // it has all of them, secrets included
  const RowKey& key = row(read, 2).key;
  EXPECT_EQ(key.ranks, 4);  // the list has the first GPU of each process only
  EXPECT_EQ(key.nodes, 2);
  EXPECT_EQ(key.ranks_per_process, 2);
  EXPECT_EQ(key.aggregation, "max");  // -a 3
  EXPECT_EQ(row(read, 0).timing->median_s, 20.64e-6);
  EXPECT_EQ(row(read, 0).timing->operations_per_sample, 3U);
  EXPECT_EQ(row(read, 0).timing->iteration_s.size(), 3U);
  EXPECT_EQ(row(read, 0).timing->skipped_iterations, 1U);
  EXPECT_TRUE(row(read, 0).check);
  EXPECT_FALSE(row(read, 2).check);
}

TEST(NcclTestsJson, FileOfTheFirstVersionWithWhatIsNoJson) {
  const ImportedRuns read = imported(import_example("nccl-tests-1.json"));
  ASSERT_EQ(read.runs.at(0).rows.size(), 6U);
  EXPECT_EQ(row(read, 0).status, RowStatus::skipped);
  EXPECT_EQ(row(read, 0).reason, "its size rounds to 0 bytes");
  EXPECT_EQ(row(read, 2).key.ranks, 2);
  EXPECT_EQ(row(read, 2).timing->median_s, 20.64e-6);
  // Only here: our own files have no such numbers.
  EXPECT_THROW(document_from_json("{\"schema\": inf}", "FILE"), UserError);
}

TEST(NcclTestsJson, InfinitiesAreQuotedWhereTheyAreNoText) {
  EXPECT_EQ(with_quoted_infinities(R"({"a":inf,"b":-inf,"c":nan,"d":"inf \" nan","e":-nan})"),
            R"({"a":"n","b":"in","c":"a","d":"inf \" nan","e":"na"})");
}

TEST(NcclTestsJson, WhatIsWrongIsNamedByItsPlace) {
  const std::string text = import_example("nccl-tests-3.json");
  EXPECT_EQ(import_error(with(text, "\"version\":3", "\"version\":4")),
            "FILE: /version: 4 is a format that is not known here, which knows 1 to 3");
  EXPECT_EQ(import_error(with(text, "\"time\":20.64", "\"time\":\"fast\"")),
            "FILE: /results/0/out_of_place/time: expected a number");
  EXPECT_EQ(import_error(with(text, "\"bus_bw\":0.07", "\"bus_bw\":0.08")).substr(0, 57),
            "FILE: the average bus bandwidth 15.497639 GB/s is not tha");
  EXPECT_EQ(import_error(with(text, "\"count\":256", "\"count\":255")),
            "FILE: /results/0: 255 elements of float on 4 ranks are 1020 bytes in all_reduce, not "
            "1024: check --ranks and --collective");
  EXPECT_EQ(import_error(with(text, "\"-a\",\"3\"", "\"-a\",\"9\"")),
            "FILE: /args: -a 9 is no way to reduce times over ranks");
  EXPECT_EQ(import_error(text.substr(0, text.size() / 2)),
            "FILE: the JSON text ends too early: the file is cut off");
}

TEST(NcclTestsJson, ErrorsEndARun) {
  const std::string text = import_example("nccl-tests-3.json");
  const ImportedRuns failed =
      imported(with(text, "\"errors\":[\"\"]", "\"errors\":[\"out of memory\"]"));
  EXPECT_EQ(failed.runs.at(0).run.status, RunStatus::error);
  EXPECT_EQ(failed.runs[0].run.message, "out of memory");
  const ImportedRuns cut = imported(with(text, ",\"end_time\":\"2026-03-01 13:00:05\"", ""));
  EXPECT_TRUE(cut.runs.at(0).incomplete);
}

}  // namespace
}  // namespace collbench
