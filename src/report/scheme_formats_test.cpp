// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/example_schemes.h"
#include "report/scheme_json.h"
#include "report/scheme_text.h"
#include "results/golden_file.h"

namespace collbench {
namespace {

SchemeStudy study() {
  std::vector<Document> documents = example::schemes();
  documents[0].steps.push_back(example::skipped_step());
  documents[1].steps[0].flags = {"oversubscribed"};
  return study_schemes(documents, Bytes{48} << 30);
}

TEST(SchemeFormats, Text) { EXPECT_EQ(scheme_text(study()), golden_file("schemes.txt")); }

TEST(SchemeFormats, Markdown) { EXPECT_EQ(scheme_markdown(study()), golden_file("schemes.md")); }

TEST(SchemeFormats, Json) { EXPECT_EQ(scheme_json_text(study()), golden_file("schemes-1.0.json")); }

TEST(SchemeFormats, NothingFits) {
  const std::string text = scheme_text(study_schemes(example::schemes(), Bytes{1} << 30));
  EXPECT_NE(text.find("# nothing fits into 1 GiB of a rank: "), std::string::npos) << text;
  EXPECT_EQ(text.find("fastest:"), std::string::npos);
}

}  // namespace
}  // namespace collbench
