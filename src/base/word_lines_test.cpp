// SPDX-License-Identifier: Apache-2.0
#include "base/word_lines.h"

#include <gtest/gtest.h>

namespace collbench {
namespace {

using Words = std::vector<std::string_view>;

TEST(WordLines, HaveWordsAndNumbers) {
  WordLines lines("# title\na  b\t1\r\n\n , c,d # e f\nlast", " \t\r,");
  auto line = lines.next();
  ASSERT_TRUE(line);
  EXPECT_EQ(line->number, 2);
  EXPECT_EQ(line->words, (Words{"a", "b", "1"}));
  line = lines.next();
  ASSERT_TRUE(line);
  EXPECT_EQ(line->number, 4);
  EXPECT_EQ(line->words, (Words{"c", "d"}));
  line = lines.next();
  ASSERT_TRUE(line);
  EXPECT_EQ(line->words, (Words{"last"}));
  EXPECT_FALSE(lines.next());
  EXPECT_EQ(lines.number(), 5);
}

TEST(WordLines, OfNothingAreNone) {
  EXPECT_FALSE(WordLines("").next());
  EXPECT_FALSE(WordLines("\n \n#").next());
  EXPECT_EQ(words_of("a,b"), (Words{"a,b"}));
}

}  // namespace
}  // namespace collbench
