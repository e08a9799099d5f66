// SPDX-License-Identifier: Apache-2.0
// The flags that level the loads of experts over training steps.
#include "cli/scheme_flags.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "cli/pattern_options.h"

namespace collbench {
namespace {

using Arguments = std::vector<std::string>;

const plan::Pattern kExperts = {
    .name = "expert_parallel", .summary = "experts", .axis = model::Axis::ep, .flag = "--ep"};

PatternOptions parsed(Arguments arguments) {
  arguments.insert(arguments.begin(), {"--predict", "--model", "tiny-moe", "--ranks", "2"});
  return parse_pattern_command(arguments, kExperts).options;
}

std::string complaint(const Arguments& arguments) {
  try {
    const PatternOptions options = parsed(arguments);
    plan_of(options, kExperts, layout_of(options, kExperts, 2));
    return "none";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(SchemeFlags, LevelLoadsByABias) {
  EXPECT_FALSE(parsed({"--ep", "2", "--routing", "zipf:1"}).scheme.experts.balance);
  const auto usual = parsed({"--routing", "zipf:1", "--balance", "bias"}).scheme.experts.balance;
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->steps, 50);
  EXPECT_DOUBLE_EQ(usual->rate, 0.05);
  EXPECT_TRUE(usual->biases.empty());
  const auto other = parsed({"--routing", "hot:1", "--balance", "bias", "--balance-steps", "7",
                             "--bias-update-rate", "0.25"})
                         .scheme.experts.balance;
  ASSERT_TRUE(other);
  EXPECT_EQ(other->steps, 7);
  EXPECT_DOUBLE_EQ(other->rate, 0.25);
}

TEST(SchemeFlags, AreHeldBackWhereNothingCanBeLevelled) {
  const Arguments bias = {"--balance", "bias", "--ep", "2"};
  const auto with = [&](Arguments more) {
    more.insert(more.end(), bias.begin(), bias.end());
    return complaint(more);
  };
  EXPECT_EQ(with({"--routing", "zipf:1"}), "none");
  EXPECT_EQ(with({}), "--balance: this routing is balanced; choose another with --routing");
  EXPECT_EQ(complaint({"--balance", "loss", "--routing", "zipf:1"}),
            "--balance: 'loss' is no way to level loads; there is bias");
  EXPECT_EQ(complaint({"--balance-steps", "3"}),
            "--balance-steps says nothing without --balance bias");
  EXPECT_EQ(complaint({"--bias-update-rate", "3"}),
            "--bias-update-rate says nothing without --balance bias");
  EXPECT_NE(with({"--routing", "zipf:1", "--balance-steps", "0"}).find("--balance-steps"),
            std::string::npos);
  EXPECT_NE(with({"--routing", "zipf:1", "--bias-update-rate", "0"}).find("--bias-update-rate"),
            std::string::npos);
}

}  // namespace
}  // namespace collbench
