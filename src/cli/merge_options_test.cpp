// SPDX-License-Identifier: Apache-2.0
#include "cli/merge_options.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "cli/tool_options.h"

namespace collbench {
namespace {

MergeOptions options_of(const std::vector<std::string>& arguments) {
  return std::get<MergeOptions>(parse_tool_command(arguments));
}

TEST(MergeOptions, FilesAndWhereTheyGo) {
  const MergeOptions options = options_of({"merge", "a", "b", "-o", "set.json"});
  EXPECT_EQ(options.files, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options.output, "set.json");
  EXPECT_FALSE(options.force);
  EXPECT_TRUE(options_of({"merge", "--force", "-o", "set.json", "a"}).force);
}

TEST(MergeOptions, AnOutputMustBeNamed) {
  EXPECT_THROW(options_of({"merge", "a", "b"}), UserError);
  EXPECT_THROW(options_of({"merge", "-o", "set.json"}), UserError);
}

}  // namespace
}  // namespace collbench
