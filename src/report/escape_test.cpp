// SPDX-License-Identifier: Apache-2.0
#include "report/escape.h"

#include <gtest/gtest.h>

namespace collbench::report {
namespace {

TEST(Escape, WhatXmlHasNotIsReplaced) {
  for (const char* none : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    EXPECT_EQ(html_text(none), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  }
  EXPECT_EQ(html_text("\xef\xbf\xbd"), "\xef\xbf\xbd");
}

TEST(Escape, WhatIsNoUtf8IsReplacedByteByByte) {
  EXPECT_EQ(readable("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  const std::string odd = "\xEF\xBF\xBD";
  EXPECT_EQ(readable("a\xFF"
                     "b"),
            "a" + odd + "b");
  EXPECT_EQ(readable("\xC3"), odd);                                // cut off
  EXPECT_EQ(readable("\xC0\xAF"), odd + odd);                      // "/" in two bytes
  EXPECT_EQ(readable("\xE0\x80\xAF"), odd + odd + odd);            // in three
  EXPECT_EQ(readable("\xED\xA0\x80"), odd + odd + odd);            // half of a surrogate pair
  EXPECT_EQ(readable("\xF4\x90\x80\x80"), odd + odd + odd + odd);  // beyond U+10FFFF
}

TEST(Escape, ControlCharactersBecomeVisible) {
  EXPECT_EQ(readable("a\nb\x1b[31m\x7f"), "a\\nb\\x1b[31m\\x7f");
}

TEST(Escape, NothingInHtmlIsMarkup) {
  EXPECT_EQ(html_text("</script><img src=x onerror='a'> \"&\""),
            "&lt;/script&gt;&lt;img src=x onerror=&#39;a&#39;&gt; &quot;&amp;&quot;");
}

TEST(Escape, NothingInMarkdownIsMarkup) {
  EXPECT_EQ(markdown_text("a|b `c` *d* [e](f) <g> \\h @i"),
            "a\\|b \\`c\\` \\*d\\* \\[e\\](f) \\<g\\> \\\\h \\@i");
}

TEST(Escape, NothingInAScriptEndsIt) {
  EXPECT_EQ(script_text(R"({"a":"</script><!--"})"), R"({"a":"\u003c/script>\u003c!--"})");
}

}  // namespace
}  // namespace collbench::report
