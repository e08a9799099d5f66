// SPDX-License-Identifier: Apache-2.0
#include "measure/groups.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "base/errors.h"

namespace collbench {
namespace {

std::vector<int> colors(std::string_view text, int ranks) {
  const GroupRule rule = parse_group_rule(text, "--split");
  std::vector<int> result;
  for (int rank = 0; rank < ranks; ++rank) result.push_back(rule.color_of(rank));
  return result;
}

template <class Parse>
std::string failure(Parse parse) {
  try {
    parse();
    return "no failure";
  } catch (const UserError& error) {
    return error.what();
  }
}
std::string rule_failure(std::string_view text) {
  return failure([&] { parse_group_rule(text, "NCCL_TESTS_SPLIT"); });
}

TEST(GroupRule, ColorsAsInNcclTests) {
  EXPECT_EQ(colors("MOD 2", 5), (std::vector<int>{0, 1, 0, 1, 0}));
  EXPECT_EQ(colors("DIV 2", 5), (std::vector<int>{0, 0, 1, 1, 2}));
  EXPECT_EQ(colors("AND 2", 5), (std::vector<int>{0, 0, 2, 2, 0}));
  EXPECT_EQ(colors("OR 2", 5), (std::vector<int>{2, 3, 2, 3, 6}));
}

TEST(GroupRule, IsWrittenInManyWays) {
  const GroupRule mod12 = {GroupOperator::modulo, 12};
  for (const char* text :
       {"MOD 12", "mod12", "% 12", "%12", " Mod  0xC ", "MOD0b1100", "MOD\t012"}) {
    EXPECT_EQ(parse_group_rule(text, "--split"), mod12) << text;
  }
  EXPECT_EQ(parse_group_rule("/8", "--split"), (GroupRule{GroupOperator::divide, 8}));
  EXPECT_EQ(parse_group_rule("&0x7", "--split"), (GroupRule{GroupOperator::bit_and, 7}));
  EXPECT_EQ(parse_group_rule("|1", "--split"), (GroupRule{GroupOperator::bit_or, 1}));
  EXPECT_EQ(to_text(mod12), "MOD 12");
}

TEST(GroupRule, NonsenseIsRefusedByName) {
  EXPECT_EQ(rule_failure("MOD0"), "NCCL_TESTS_SPLIT: MOD 0 divides by zero; give at least 1");
  EXPECT_EQ(rule_failure("DIV 0x0"), "NCCL_TESTS_SPLIT: DIV 0 divides by zero; give at least 1");
  EXPECT_EQ(rule_failure("FOO 2"),
            "NCCL_TESTS_SPLIT: 'FOO 2' begins with none of AND, OR, MOD, DIV, &, |, %, /; give one "
            "and a number, such as MOD 2");
  EXPECT_EQ(rule_failure("AND 0b"),
            "NCCL_TESTS_SPLIT: '0b' is no number; give one such as 4, 0x4 or 0b100 after the "
            "operator");
  for (const char* text :
       {"", "MOD", "2", "MOD 2x", "MOD -2", "MOD 1.5", "AND 0b12", "DIV 0x", "MODULO 2", "%%2",
        "MOD 2 3", "OR 4294967296", "AND 18446744073709551616"}) {
    EXPECT_TRUE(rule_failure(text).starts_with("NCCL_TESTS_SPLIT: ")) << text;
  }
}

TEST(GroupMask, IsHexadecimal) {
  const GroupRule mask = {GroupOperator::bit_and, 0x10};
  EXPECT_EQ(parse_group_mask("0x10", "M"), mask);
  EXPECT_EQ(parse_group_mask("10", "M"), mask);
  EXPECT_EQ(parse_group_mask("0xffffffffffffffff", "M").color_of(3), 3);
  for (const char* text : {"zz", "0x", "", "7g", "-1", "0b1 1"}) {
    const std::string message = failure([&] { parse_group_mask(text, "NCCL_TESTS_SPLIT_MASK"); });
    EXPECT_TRUE(message.starts_with("NCCL_TESTS_SPLIT_MASK: ")) << text << ": " << message;
  }
}

std::optional<GroupRule> rule_of(const std::optional<std::string>& flag,
                                 const std::map<std::string, const char*>& environment) {
  return group_rule(flag, [&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second;
  });
}

TEST(GroupRule, TheFlagBeatsTheMaskAndTheMaskBeatsTheSplit) {
  const char* const mask = "NCCL_TESTS_SPLIT_MASK";
  const char* const split = "NCCL_TESTS_SPLIT";
  EXPECT_EQ(rule_of({}, {}), std::nullopt);
  EXPECT_EQ(rule_of({}, {{split, "MOD 3"}}), (GroupRule{GroupOperator::modulo, 3}));
  EXPECT_EQ(rule_of({}, {{split, "MOD 3"}, {mask, "0x1"}}), (GroupRule{GroupOperator::bit_and, 1}));
  EXPECT_EQ(rule_of("DIV 2", {{split, "MOD 3"}, {mask, "0x1"}}),
            (GroupRule{GroupOperator::divide, 2}));
  EXPECT_EQ(rule_of({}, {{split, ""}, {mask, ""}}), std::nullopt);
  EXPECT_EQ(failure([&] { rule_of("", {}); }).substr(0, 9), "--split: ");
  EXPECT_EQ(failure([&] { rule_of({}, {{mask, "zz"}}); }).substr(0, 23), "NCCL_TESTS_SPLIT_MASK: ");
}

TEST(Groups, AreNumberedByColor) {
  const Groups groups = make_groups(parse_group_rule("OR 2", "--split"), 5);  // 2 3 2 3 6
  EXPECT_EQ(groups.group_of_rank, (std::vector<int>{0, 1, 0, 1, 2}));
  EXPECT_EQ(groups.ranks_of_group, (std::vector<std::vector<int>>{{0, 2}, {1, 3}, {4}}));
  const RanksOfGroups all = {{0, 1, 2}};
  EXPECT_EQ(make_groups(parse_group_mask("0", "M"), 3).ranks_of_group, all);
  EXPECT_EQ(make_groups(std::nullopt, 3).ranks_of_group, all);
}

}  // namespace
}  // namespace collbench
