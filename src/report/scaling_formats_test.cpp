// SPDX-License-Identifier: Apache-2.0
// Tests of the formats of a study of scaling, to the letter.
#include <gtest/gtest.h>

#include "analysis/example_study.h"
#include "report/scaling_json.h"
#include "report/scaling_text.h"
#include "results/golden_file.h"

namespace collbench {
namespace {

TEST(ScalingJson, IsTheGoldenFile) {
  EXPECT_EQ(scaling_json_text(example::study()), golden_file("scaling-1.0.json"));
}

TEST(ScalingText, IsTheGoldenFile) {
  EXPECT_EQ(scaling_text(example::study()), golden_file("scaling.txt"));
}

TEST(ScalingText, FewCountsHaveNoLaws) {
  ScalingStudy study;
  study.steps = {example::step_curve()};
  study.steps[0].laws.clear();
  study.steps[0].points.pop_back();
  const std::string text = scaling_text(study);
  EXPECT_NE(text.find("# no Amdahl's law: it takes 3 counts\n"), std::string::npos) << text;
  EXPECT_NE(text.find("# no universal law: it takes 5 counts\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("superlinear"), std::string::npos) << text;
}

TEST(ScalingText, PartsOfAModelAreCalledSo) {
  ScalingStudy study;
  study.steps = {example::step_curve()};
  study.steps[0].key = example::small_step().key;
  EXPECT_NE(scaling_text(study).find(
                "zero of llama3-8b, 2 layers of the model only, messages and computing divided by "
                "16: strong scaling over dp"),
            std::string::npos);
}

}  // namespace
}  // namespace collbench
