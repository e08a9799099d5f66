// SPDX-License-Identifier: Apache-2.0
#include "cli/suggestion.h"

#include <gtest/gtest.h>

#include <vector>

namespace collbench {
namespace {

const std::vector<std::string> kNames = {"minbytes", "maxbytes", "iters", "list", "op"};

TEST(Suggestion, TheBeginningOfAName) {
  EXPECT_EQ(nearest_name("max", kNames), "maxbytes");
  EXPECT_EQ(nearest_name("i", kNames), "iters");
}

TEST(Suggestion, AMistypedName) {
  EXPECT_EQ(nearest_name("minbites", kNames), "minbytes");
  EXPECT_EQ(nearest_name("mxbytes", kNames), "maxbytes");
  EXPECT_EQ(nearest_name("iterss", kNames), "iters");
  EXPECT_EQ(nearest_name("mimbyte", kNames), "minbytes");
}

TEST(Suggestion, NothingForWhatIsFarFromAll) {
  EXPECT_EQ(nearest_name("bogus", kNames), "");
  EXPECT_EQ(nearest_name("xx", kNames), "");
  EXPECT_EQ(nearest_name("iters", {}), "");
}

}  // namespace
}  // namespace collbench
