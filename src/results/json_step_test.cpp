// SPDX-License-Identifier: Apache-2.0
// Tests of measured steps as JSON: nothing is lost on the way, and what is wrong is named.
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "base/errors.h"
#include "base/named_rows.h"
#include "results/broken_json.h"
#include "results/example_steps.h"
#include "results/golden_file.h"
#include "results/json.h"

namespace collbench {
namespace {

/// The example with the first `from` replaced.
std::string with(const std::string& from, const std::string& to) {
  return replaced(example::pattern(), from, to);
}

TEST(JsonStep, RoundTripLosesNothing) {
  for (const Document& document :
       {example::pattern(), example::pattern_started(), example::scaled()}) {
    EXPECT_EQ(document_from_json(to_json(document), "FILE"), document);
  }
  for (const StepRecord& step : example::pattern().steps) {
    const std::string line = to_json_line(step);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(step_from_json(line, "FILE.rows"), step);
  }
}

TEST(JsonStep, RanksThatExchangeHeadsAreNamedWhereThereAreAny) {
  StepRecord step = example::step();
  EXPECT_EQ(to_json_line(step).find("cp_a2a"), std::string::npos);
  step.key.layout.cp = 4;
  step.key.layout.cp_a2a = 2;
  step.key.ranks = 16;
  step.rank_median_s.clear();
  EXPECT_EQ(step_from_json(to_json_line(step), "FILE.rows"), step);
}

TEST(JsonStep, UnevenMessagesSayHowUneven) {
  StepRecord step = example::step();
  EXPECT_EQ(to_json_line(step).find("uneven"), std::string::npos);
  step.messages.front().uneven = Uneven{1.75, 2e-3};
  EXPECT_EQ(step_from_json(to_json_line(step), "FILE.rows"), step);
  step.messages.front().uneven->even_time_s.reset();
  EXPECT_EQ(step_from_json(to_json_line(step), "FILE.rows"), step);
}

TEST(JsonStep, GoldenFile) {
  EXPECT_EQ(to_json(example::pattern()), golden_file("results-1.1-steps.json"));
  EXPECT_EQ(document_from_json(golden_file("results-1.1-steps.json"), "FILE"), example::pattern());
}

TEST(JsonStep, GoldenFileOfScaling) {
  EXPECT_EQ(to_json(example::scaled()), golden_file("results-1.1-scaling.json"));
  EXPECT_EQ(document_from_json(golden_file("results-1.1-scaling.json"), "FILE"), example::scaled());
}

TEST(JsonStep, LinesOfAllKindsFindTheirPlace) {
  Document document = example::pattern_started();
  add_line(document, to_json_line(example::step()), "FILE.rows");
  add_line(document, to_json_line(example::measured(false)), "FILE.rows");
  EXPECT_EQ(document.steps, std::vector{example::step()});
  EXPECT_EQ(document.rows.size(), 1u);
  EXPECT_THROW(add_line(document, R"({"pattern":"zero"})", "FILE.rows, line 3"), UserError);
}

TEST(JsonStep, WhatFollowsFromTheTimesIsWrittenForOtherReaders) {
  EXPECT_NE(to_json_line(example::step())
                .find(R"("derived":{"bubble_us":1000.0,"exposed_us":3000.0,"exposed_share":0.15,)"
                      R"("overlap_efficiency":0.625,"tokens_per_s":3276800.0,)"
                      R"("prediction_error":-0.05})"),
            std::string::npos)
      << to_json_line(example::step());
  EXPECT_NE(to_json_line(example::small_step()).find(R"("derived":{"tokens_per_s":3276800.0})"),
            std::string::npos);
  EXPECT_EQ(to_json_line(example::skipped_step()).find("derived"), std::string::npos);
}

TEST(JsonStep, WhatAxesCostEachOtherIsWrittenForOtherReaders) {
  const std::string line = to_json_line(example::small_step());
  EXPECT_NE(line.find(R"("axis_costs":[{"axis":"pp","beside":["dp_replicate"],)"
                      R"("alone_us":1000.0,"together_us":1050.0,"slowdown":1.05,"certain":false},)"
                      R"({"axis":"dp_replicate","beside":["pp"],)"
                      R"("alone_us":2000.0,"together_us":3000.0,"slowdown":1.5,"certain":true,)"
                      R"("predicted_slowdown":2.0}])"),
            std::string::npos)
      << line;
}

TEST(JsonStep, RefusesToWriteWhatIsNotFinite) {
  Document document = example::pattern();
  document.steps[1].flops = std::numeric_limits<double>::infinity();
  try {
    to_json(document);
    FAIL();
  } catch (const std::logic_error& e) {
    EXPECT_STREQ(e.what(), "/steps/1/flops: JSON cannot hold a number that is not finite");
  }
  document.steps[1] = example::step();
  document.steps[1].skeleton->samples_s.clear();
  EXPECT_THROW(to_json(document), std::logic_error);
}

TEST(JsonStep, UnknownFieldsAreRead) {
  EXPECT_EQ(document_from_json(with("\"sent_bytes\"", "\"later\":[{}],\"sent_bytes\""), "FILE"),
            example::pattern());
}

struct Broken {
  const char* from;
  const char* to;
  std::string message;
};

void PrintTo(const Broken& broken, std::ostream* out) {
  *out << broken.from << " -> " << broken.to;
}

class JsonBrokenStep : public testing::TestWithParam<Broken> {};

TEST_P(JsonBrokenStep, IsNamedInOneSentence) {
  const Broken& broken = GetParam();
  EXPECT_EQ(error_of(with(broken.from, broken.to)), "FILE: " + broken.message);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, JsonBrokenStep,
    testing::Values(
        Broken{"\"model\":\"llama3-8b\",", "", "/steps/0/model: missing"},
        Broken{"\"schedule\":\"1f1b\"", "\"schedule\":1",
               "/steps/0/scheme/schedule: expected a string, found 1"},
        Broken{"\"tp\":2", "\"tp\":0", "/steps/0/layout/tp: expected 1 or more"},
        Broken{"\"tp\":2", "\"tp\":-1",
               "/steps/0/layout/tp: expected a whole number from 0 to 2^31 - 1, found -1"},
        Broken{"\"order\":\"tp-cp-ep-dp-pp\"", "\"order\":\"tp\"",
               "/steps/0/layout/order: 'tp' is no order; name one of megatron, torchtitan, "
               "deepspeed, llama3, or all five dimensions, the fastest first, as in "
               "tp-cp-ep-dp-pp"},
        Broken{"\"stage_layers\":[1,0,0,1]", "\"stage_layers\":[1,0,0,1.5]",
               "/steps/1/layout/stage_layers/3: expected a whole number from 0 to 2^31 - 1, found "
               "1.5"},
        Broken{"\"recompute\":\"none\"", "\"recompute\":\"some\"",
               "/steps/0/training_step/recompute: 'some' is no kind of recomputation; choose from "
               "none, selective, full"},
        Broken{"\"gradients\":\"float\"", "\"gradients\":\"float9\"",
               "/steps/0/training_step/gradients: 'float9' is no data type; choose from " +
                   list_names(kDataTypes)},
        Broken{"\"ranks\":4", "\"ranks\":5", "/steps/0/layout: is of 4 ranks, and `ranks` says 5"},
        Broken{"\"replicas\":1", "\"replicas\":3",
               "/steps/0/layout/replicas: expected a divisor of dp, 2"},
        Broken{"\"nodes\":2", "\"nodes\":5", "/steps/0/nodes: expected no more nodes than ranks"},
        Broken{"19750.0,", "", "/steps/0/per_rank/median_us: expected 4 numbers"},
        Broken{"\"layers\":2", "\"layers\":0", "/steps/1/layers: expected 1 or more"},
        Broken{"\"shrink\":16", "\"shrink\":\"16\"",
               "/steps/1/shrink: expected a whole number from 0 to 2^64 - 1, found a string"},
        Broken{"\"status\":\"ok\"", "\"status\":\"fine\"",
               "/steps/0/status: 'fine' is no row status; choose from ok, wrong, skipped, failed"},
        Broken{"\"times\":{\"step\":", "\"times\":{\"whole\":", "/steps/0/times/step: missing"},
        Broken{"\"n\":6", "\"n\":7",
               "/steps/0/times/step/time_us/n: expected 6, the number of samples"},
        Broken{"\"samples_us\":[17000.0]", "\"samples_us\":[]",
               "/steps/0/times/skeleton/samples_us: expected at least one sample"},
        Broken{"\"flops\":3.5e+15", "\"flops\":\"many\"",
               "/steps/0/flops: expected a number, found a string"},
        Broken{"\"exposed_us\":3500.0", "\"exposed_us\":null",
               "/steps/0/prediction/exposed_us: expected a number, found null"},
        Broken{
            "\"axis\":\"dp_shard_cp\"", "\"axis\":\"dq\"",
            "/steps/0/messages/0/axis: 'dq' is no axis; choose from " + list_names(model::kAxes)},
        Broken{"\"per_step\":63,", "", "/steps/0/messages/0/per_step: missing"},
        Broken{"\"messages\":[", "\"messages\":7,\"other\":[",
               "/steps/0/messages: expected an array, found 7"},
        Broken{"{\"number\":1,\"expert_max_over_mean\":3.5", "{\"number\":1,\"expert\":3.5",
               "/steps/1/balancing/0/expert_max_over_mean: missing"},
        Broken{"\"predicted_step_us\":40000.0", "\"predicted_step_us\":\"long\"",
               "/steps/1/balancing/0/predicted_step_us: expected a number, found a string"},
        Broken{"\"left_out\":[]", "\"left_out\":[3]",
               "/steps/0/left_out/0: expected a string, found 3"},
        Broken{"\"compute\":\"gemm\"", "\"compute\":2",
               "/config/pattern/compute: expected a string, found 2"},
        Broken{"\"steps\": [", "\"steps\": 7, \"other\": [",
               "/steps: expected an array, found 7"}));

TEST(JsonStep, TruncatedDocuments) {
  const std::string text = to_json(example::pattern());
  for (std::size_t length = 1; length + 2 < text.size(); length += 11) {
    EXPECT_NE(error_of(text.substr(0, length)), "no error") << length;
  }
}

class JsonBrokenScaling : public testing::TestWithParam<Broken> {};

TEST_P(JsonBrokenScaling, IsNamedInOneSentence) {
  const Broken& broken = GetParam();
  EXPECT_EQ(error_of(replaced(example::scaled(), broken.from, broken.to)),
            "FILE: /scaling" + broken.message);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, JsonBrokenScaling,
    testing::Values(
        Broken{"\"axis\": \"dp\",", "", "/axis: missing"},
        Broken{"\"axis\": \"dp\"", "\"axis\": \"ep\"",
               "/axis: 'ep' is no axis to scale; choose from dp, tp, cp, pp"},
        Broken{"\"base_ranks\": 2", "\"base_ranks\": 0", "/base_ranks: expected 1 or more"},
        Broken{"\"weak\": false", "\"weak\": 0", "/weak: expected true or false, found 0"},
        Broken{"\"points\": [", "\"points\": [], \"other\": [",
               "/points: expected at least one point"},
        Broken{"{\"degree\":1,\"ranks\":2,", "{\"ranks\":2,", "/points/0/degree: missing"},
        Broken{"\"efficiency\":1.1,", "\"efficiency\":\"1.1\",",
               "/points/1/efficiency: expected a number, found a string"},
        Broken{"\"exposed_share\":0.15,\"superlinear\"", "\"exposed_share\":null,\"superlinear\"",
               "/points/1/exposed_share: expected a number, found null"},
        Broken{"{\"degree\":4,\"ranks\":8,\"reason\"", "{\"degree\":4,\"ranks\":8,\"why\"",
               "/left_out/0/reason: missing"}));

}  // namespace
}  // namespace collbench
