// SPDX-License-Identifier: Apache-2.0
#include "model/presets.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "model/parameters.h"

namespace collbench::model {
namespace {

/// What publications say, cut off or rounded, and what the formulas give to the last digit.
struct Golden {
  const char* preset;
  double published, digit;  // in units of 1e9, and the value of its last digit
  Count parameters;
  double published_active = 0, active_digit = 0;  // of a mixture of experts
  Count active = 0;
};

constexpr Golden kGolden[] = {
    // Narayanan et al. 2021, table 2: "174.6 B".
    {"gpt3-175b-megatron", 174.6, 0.1, 174'615'846'912},
    // Brown et al. 2020, table 2.1: "175B".
    {"gpt3-175b", 175, 1, 174'604'259'328},
    {"llama2-7b", 6.74, 0.01, 6'738'415'616},
    {"llama2-70b", 69, 1, 68'976'648'192},
    {"llama3-8b", 8.03, 0.01, 8'030'261'248},
    {"llama3-70b", 70.6, 0.1, 70'553'706'496},
    // The paper says 405B, the model card 406B.
    {"llama3-405b", 406, 1, 405'853'388'800},
    {"qwen2.5-7b", 7.61, 0.01, 7'615'616'512},
    {"qwen3-8b", 8.2, 0.1, 8'190'735'360},
    {"qwen3-32b", 32.8, 0.1, 32'762'123'264},
    {"qwen3-30b-a3b", 30.5, 0.1, 30'532'122'624, 3.3, 0.1, 3'353'032'704},
    {"qwen3-235b-a22b", 235, 1, 235'093'634'560, 22, 1, 22'190'763'520},
    {"mixtral-8x7b", 46.7, 0.1, 46'702'792'704, 12.9, 0.1, 12'879'925'248},
    // Without the biases that balance the experts, 58 * 256. Active: published without the input
    // embedding, which is a look-up; here with it.
    {"deepseek-v3", 671, 1, 671'026'404'352, 37, 1, 37'552'282'624},
};

TEST(Presets, HaveThePublishedSizes) {
  for (const Golden& golden : kGolden) {
    const Model model = preset(golden.preset);
    EXPECT_EQ(parameters(model), golden.parameters) << golden.preset;
    EXPECT_NEAR(static_cast<double>(parameters(model)) / 1e9, golden.published, golden.digit)
        << golden.preset;
    if (golden.active == 0) continue;
    EXPECT_EQ(active_parameters(model), golden.active) << golden.preset;
    EXPECT_NEAR(static_cast<double>(active_parameters(model)) / 1e9, golden.published_active,
                golden.active_digit)
        << golden.preset;
  }
}

TEST(Presets, AreAllNamedLikeTheirFilesAndHaveASource) {
  EXPECT_EQ(preset_names().size(), std::size(kGolden) + 4) << "the others are tiny";
  for (const std::string& name : preset_names()) {
    const Model model = preset(name);
    EXPECT_EQ(model.name, name);
    EXPECT_FALSE(model.source.empty()) << name;
    if (name.starts_with("tiny")) {
      EXPECT_LT(parameters(model), 20'000'000U) << name;
    }
  }
}

TEST(Presets, ListTheNamesThereAre) {
  try {
    preset("llama4");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("--model: 'llama4' is no model; choose from"))
        << error.what();
  }
}

}  // namespace
}  // namespace collbench::model
