// SPDX-License-Identifier: Apache-2.0
#include "report/run.h"

#include <gtest/gtest.h>

namespace collbench::report {
namespace {

using Texts = std::vector<std::string>;

TEST(ShortNames, AreFileNamesWithoutTheirSuffix) {
  EXPECT_EQ(short_names(Texts{"results/base.json", "new.json"}), (Texts{"base", "new"}));
  EXPECT_EQ(short_names(Texts{"a.txt", ".json"}), (Texts{"a.txt", ".json"}));
}

TEST(ShortNames, GoFurtherUpWhereTwoAreEqual) {
  EXPECT_EQ(short_names(Texts{"x/monday/a.json", "x/tuesday/a.json", "b.json"}),
            (Texts{"monday/a", "tuesday/a", "b"}));
  EXPECT_EQ(short_names(Texts{"a.json", "x/a.json"}), (Texts{"a", "x/a"}));
}

TEST(ShortNames, OfOneFileTwiceAreEqual) {
  EXPECT_EQ(short_names(Texts{"/x/a.json", "/x/a.json"}), (Texts{"x/a", "x/a"}));
}

}  // namespace
}  // namespace collbench::report
