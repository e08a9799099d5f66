// SPDX-License-Identifier: Apache-2.0
// Tests of result files as JSON: nothing is lost on the way, and what is wrong is named.
#include "results/json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/errors.h"
#include "base/named_rows.h"
#include "results/broken_json.h"
#include "results/example_document.h"
#include "results/golden_file.h"

namespace collbench {
namespace {

/// The ended example with the first `from` replaced.
std::string with(const std::string& from, const std::string& to) {
  return replaced(example::ended(), from, to);
}

/// "line 41", that of the ended example's first row.
std::string first_row_line() {
  const std::string text = to_json(example::ended());
  const auto before = text.substr(0, text.find("{\"collective\""));
  return "line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n'));
}

TEST(Json, RoundTripLosesNothing) {
  for (const Document& document :
       {example::started(), example::ended(), example::split(), example::soak()}) {
    EXPECT_EQ(document_from_json(to_json(document), "FILE"), document);
  }
}

TEST(Json, OptionalFieldsSurviveTheRoundTrip) {
  Document document = example::ended();
  document.run.status = RunStatus::timeout;
  document.run.message = "no progress for 120 s";
  document.config.step_factor.reset();
  document.config.step_bytes = std::numeric_limits<Bytes>::max();
  document.config.fixed_iterations = 20;
  document.config.warmup_iterations = 0;
  document.config.sampling = {.target_half_width = 0.005, .fixed_samples = 7};
  document.config.thresholds = {12.5e9, {{1024, 0.1e9}, {8, 3e9}}};
  document.rows[0].ended = "2026-03-01T12:00:07Z";
  document.rows[0].timing->mean_over_ranks_s.clear();
  document.rows[0].timing->rank_median_s.clear();
  document.rows[0].timing->rank_last_count.clear();
  document.rows[0].timing->interval95_s.reset();
  EXPECT_EQ(document_from_json(to_json(document), "FILE"), document);
}

TEST(Json, LinesRoundTrip) {
  for (const Record& row : example::ended().rows) {
    const std::string line = to_json_line(row);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(record_from_json(line, "FILE.rows"), row);
  }
  const Environment environment = example::environment();
  EXPECT_EQ(host_from_json(to_json_line(environment.hosts[1]), "host"), environment.hosts[1]);
  EXPECT_EQ(rank_from_json(to_json_line(environment.ranks[1]), "rank"), environment.ranks[1]);
}

// The format of a version never changes once released; these are of version 1.1.
TEST(Json, WritesTheGoldenFiles) {
  EXPECT_EQ(to_json(example::ended()), golden_file("results-1.1.json"));
  EXPECT_EQ(to_json(example::started()), golden_file("results-1.1-running.json"));
  EXPECT_EQ(to_json(example::split()), golden_file("results-1.1-split.json"));
  EXPECT_EQ(to_json(example::soak()), golden_file("results-1.1-soak.json"));
}

TEST(Json, ReadsTheGoldenFiles) {
  EXPECT_EQ(document_from_json(golden_file("results-1.1.json"), "FILE"), example::ended());
  EXPECT_EQ(document_from_json(golden_file("results-1.1-running.json"), "FILE"),
            example::started());
  EXPECT_EQ(document_from_json(golden_file("results-1.1-split.json"), "FILE"), example::split());
  EXPECT_EQ(document_from_json(golden_file("results-1.1-soak.json"), "FILE"), example::soak());
}

TEST(Json, ReadsTheGoldenFileOfAnEarlierVersion) {
  EXPECT_EQ(document_from_json(golden_file("results-1.0.json"), "FILE"), example::ended());
}

TEST(Json, VerdictsFollowFromThresholdsAndRows) {
  Document document = example::ended();
  EXPECT_EQ(to_json(document).find("verdicts"), std::string::npos);
  document.rows = {example::measured(false)};
  document.rows[0].bus_bandwidth_Bps = 2e9;
  document.config.thresholds = {2e9, {{11, 2.5e9}, {64, 1e9}}};
  const std::string text = to_json(document);
  EXPECT_NE(text.find(R"("verdicts": [)"
                      "\n      "
                      R"({"required_busbw_GBps":1.8,"busbw_GBps":2.0,"judgement":"met"},)"
                      "\n      "
                      R"({"requested_bytes":11,"required_busbw_GBps":2.5,"busbw_GBps":2.0,)"
                      R"("judgement":"not_met"},)"
                      "\n      "
                      R"({"requested_bytes":64,"required_busbw_GBps":1.0,"busbw_GBps":null,)"
                      R"("judgement":"inconclusive"})"
                      "\n    ]"),
            std::string::npos)
      << text;
}

TEST(Json, AbsentIsNotMeasuredAndNullIsUndefined) {
  EXPECT_EQ(to_json_line(example::skipped()).find("busbw_GBps"), std::string::npos);
  EXPECT_EQ(to_json_line(example::skipped()).find("time_us"), std::string::npos);
  EXPECT_NE(to_json_line(example::one_rank()).find("\"busbw_GBps\":null"), std::string::npos);
  EXPECT_EQ(to_json_line(example::one_rank()).find("\"check\""), std::string::npos);
  EXPECT_EQ(to_json_line(example::one_rank()).find("\"ci95\""), std::string::npos);
}

TEST(Json, TailsAreWrittenWithEnoughSamplesOnly) {
  Record row = example::measured(false);
  row.timing->samples_s.assign(58, 1e-6);
  EXPECT_EQ(to_json_line(row).find("\"p95\""), std::string::npos);
  row.timing->samples_s.assign(59, 1e-6);
  EXPECT_NE(to_json_line(row).find("\"p95\":1.0,\"max\""), std::string::npos);
  row.timing->samples_s.assign(299, 1e-6);
  EXPECT_NE(to_json_line(row).find("\"p99\":1.0,\"max\""), std::string::npos);
}

TEST(Json, RefusesToWriteWhatIsNotFinite) {
  const auto error_of_row = [](const Record& row) -> std::string {
    Document document = example::ended();
    document.rows[1] = row;
    try {
      to_json(document);
    } catch (const std::logic_error& e) {
      return e.what();
    }
    return "no error";
  };
  Record row = example::measured(true);
  row.bus_bandwidth_Bps = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of_row(row), "/rows/1/busbw_GBps: JSON cannot hold a number that is not finite");
  EXPECT_THROW(to_json_line(row), std::logic_error);
  row = example::measured(true);
  row.timing->samples_s[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error_of_row(row).find("not finite"), std::string::npos);
  row.timing->samples_s.clear();
  EXPECT_EQ(error_of_row(row), "a row has a timing without samples");
}

TEST(Json, TextThatIsNotUtf8IsWrittenMarked) {
  Document document = example::started();
  document.environment.variables["NCCL_DEBUG_FILE"] = "caf\xe9 caf\xc3\xa9";
  const Document read = document_from_json(to_json(document), "FILE");
  EXPECT_EQ(read.environment.variables.at("NCCL_DEBUG_FILE"), "caf\xef\xbf\xbd caf\xc3\xa9");
}

TEST(Json, UnknownFieldsAndLaterMinorVersionsAreRead) {
  std::string text = with("\"schema_version\": \"1.1\"", "\"schema_version\": \"1.17\"");
  text.replace(text.find("\"wrong_elements\":0"), 0, "\"later\":[{\"x\":null}],");
  EXPECT_EQ(document_from_json(text, "FILE"), example::ended());
}

TEST(Json, AWholeNumberIsANumber) {
  const Document read = document_from_json(with("\"min\":281.0", "\"min\":281"), "FILE");
  EXPECT_EQ(read, example::ended());
}

struct Broken {
  const char* from;
  const char* to;
  std::string message;
};

void PrintTo(const Broken& broken, std::ostream* out) {
  *out << broken.from << " -> " << broken.to;
}

class JsonBroken : public testing::TestWithParam<Broken> {};

TEST_P(JsonBroken, IsNamedInOneSentence) {
  const Broken& broken = GetParam();
  EXPECT_EQ(error_of(with(broken.from, broken.to)), "FILE: " + broken.message);
}

TEST(Json, AKeyThatIsGivenTwiceIsRefused) {
  EXPECT_EQ(error_of(with("\"median\":285.215", "\"median\":285.215,\"median\":1")),
            "FILE: the key 'median' is given twice; remove one");
}

INSTANTIATE_TEST_SUITE_P(
    Fields, JsonBroken,
    testing::Values(
        Broken{"\"median\":285.215", "\"median\":\"285\"",
               "/rows/0/time_us/median: expected a number, found a string"},
        Broken{"\"median\":285.215,", "", "/rows/0/time_us/median: missing"},
        Broken{"\"in_place\":true", "\"in_place\":\"true\"",
               "/rows/1/in_place: expected true or false, found a string"},
        Broken{"\"count\":2", "\"count\":-2",
               "/rows/0/count: expected a whole number from 0 to 2^64 - 1, found -2"},
        Broken{"\"count\":2", "\"count\":2.5",
               "/rows/0/count: expected a whole number from 0 to 2^64 - 1, found 2.5"},
        Broken{"\"count\":2", "\"count\":18446744073709551616",
               "/rows/0/count: expected a whole number from 0 to 2^64 - 1, found "
               "1.8446744073709552e+19"},
        Broken{"\"ranks\":2", "\"ranks\":4294967298",
               "/rows/0/ranks: expected a whole number from 0 to 2^31 - 1, found 4294967298"},
        Broken{"\"type\":\"float\"", "\"type\":\"float8\"",
               "/rows/0/type: 'float8' is no data type; choose from " + list_names(kDataTypes)},
        Broken{"\"status\":\"ok\"", "\"status\":\"fine\"",
               "/rows/0/status: 'fine' is no row status; choose from ok, wrong, skipped, failed"},
        Broken{"\"op\":\"sum\"", "\"op\":7", "/rows/0/op: expected a string, found 7"},
        Broken{"\"op\":\"sum\",", "", "/rows/0/op: missing"},
        Broken{"\"n\":6", "\"n\":7", "/rows/0/time_us/n: expected 6, the number of samples"},
        Broken{"\"median\":285.215", "\"median\":285.3",
               "/rows/0/time_us/median: contradicts the samples, whose median is 285.215"},
        Broken{"\"min\":281", "\"min\":280",
               "/rows/0/time_us/min: contradicts the samples, whose min is 281"},
        Broken{"\"ci95\":[281", "\"ci95\":[299",
               "/rows/0/time_us/ci95: expected an interval around the median"},
        Broken{"\"ci95\":[281.0,300.0]", "\"ci95\":[281.0]",
               "/rows/0/time_us/ci95: expected two numbers, low and high"},
        Broken{"\"last_count\":[5,1]", "\"last_count\":[5]",
               "/rows/0/per_rank/last_count: expected 2 numbers"},
        Broken{"\"last_count\":[5,1]", "\"last_count\":[1,18446744073709551615]",
               "/rows/0/per_rank/last_count: more than the 6 samples"},
        Broken{"\"time_us\"", "\"time_ms\"", "/rows/0/time_us: missing"},
        Broken{"\"flags\":[]", "\"flags\":{}", "/rows/0/flags: expected an array, found an object"},
        Broken{"\"rows\": [", "\"lines\": [", "/rows: missing"},
        Broken{"\"cores\":64", "\"cores\":null",
               "/environment/hosts/0/cores: expected a whole number from 0 to 2^31 - 1, found "
               "null"},
        Broken{"\"host\":1", "\"host\":2", "/environment/ranks/1/host: names no host of the list"},
        Broken{"\"schema_version\": \"1.1\"", "\"schema_version\": \"2.0\"",
               "/schema_version: 2.0 is a format that collbench 0.1.0, which reads 1.x, cannot "
               "read; use the collbench that wrote it, or a later one"},
        Broken{"\"schema_version\": \"1.1\"", "\"schema_version\": 1.0",
               "/schema_version: expected a string, found 1.0"},
        Broken{"\"schema_version\": \"1.1\"", "\"schema_version\": \"1.x\"",
               "/schema_version: expected MAJOR.MINOR, found '1.x'"},
        Broken{"\"schema\": \"collbench.results\"", "\"schema\": \"other\"",
               "no result file of collbench: it lacks \"schema\": \"collbench.results\""}));

INSTANTIATE_TEST_SUITE_P(
    Text, JsonBroken,
    testing::Values(Broken{"285.215", "NaN", first_row_line() + ": 'NaN' is no number in JSON"},
                    Broken{"285.215", "nan", first_row_line() + ": 'nan' is no number in JSON"},
                    Broken{"285.215", "-Infinity",
                           first_row_line() + ": '-Infinity' is no number in JSON"},
                    Broken{"285.215", "1e999", "a number in the file is too large"},
                    Broken{"285.215", "1e101",
                           "/rows/0/time_us/median: a number of this size measures nothing"},
                    Broken{"\"run\": {", "\"run\" {", "line 4: this is not JSON, at '{'"},
                    Broken{"\"id\"", "\x01\x02", "line 5: this is not JSON"}));

TEST(Json, TextsThatAreNoDocument) {
  EXPECT_EQ(error_of(""), "FILE: the file is empty");
  EXPECT_EQ(error_of(" \n"), "FILE: the file is empty");
  EXPECT_EQ(error_of("[1, 2]"), "FILE: the document: expected an object, found an array");
  EXPECT_EQ(error_of("{}"),
            "FILE: no result file of collbench: it lacks \"schema\": \"collbench.results\"");
  EXPECT_EQ(error_of(std::string("\x7f"
                                 "ELF\0\0",
                                 6)),
            "FILE: this is not JSON");
  EXPECT_EQ(error_of(std::string(1000000, '[')),
            "FILE: nested deeper than 32 levels: not a result file");
}

TEST(Json, CyclesThatCannotBeAreNamed) {
  Document document = example::soak();
  document.cycles[1].row = 2;
  EXPECT_EQ(error_of(to_json(document)), "FILE: /cycles/1/row: names no row of the list");
  document = example::soak();
  document.cycles[4].cycle = 0;
  EXPECT_EQ(error_of(to_json(document)), "FILE: /cycles/4/cycle: expected 1 or more");
  EXPECT_THROW(add_line(document, R"({"row":2,"cycle":1})", "FILE.rows, line 1"), UserError);
}

// Its rows are read before anything is known of it, and may mean anything.
TEST(Json, SchemaIsJudgedFirstWhereverItStands) {
  EXPECT_EQ(error_of(R"({"rows": [7, 8], "schema": "other"})"),
            "FILE: no result file of collbench: it lacks \"schema\": \"collbench.results\"");
}

TEST(Json, WhatIsNoJsonIsSaidBeforeWhatIsNoRow) {
  const std::string text = with("\"median\":285.215", "\"median\":\"285\"");
  EXPECT_TRUE(error_of(text.substr(0, text.size() - 3))
                  .ends_with(": the JSON text ends too early: the file is cut off"));
}

// Wherever it is cut, it is refused, without a crash.
TEST(Json, TruncatedDocuments) {
  const std::string text = to_json(example::ended());
  for (std::size_t length = 1; length + 2 < text.size(); length += 7) {
    EXPECT_NE(error_of(text.substr(0, length)), "no error") << length;
  }
  EXPECT_EQ(error_of(text.substr(0, text.find("{\"collective\""))),
            "FILE: " + first_row_line() + ": the JSON text ends too early: the file is cut off");
}

}  // namespace
}  // namespace collbench
