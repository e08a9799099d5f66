// SPDX-License-Identifier: Apache-2.0
#include "results/spread_table.h"

#include <gtest/gtest.h>

#include "results/example_document.h"

namespace collbench {
namespace {

TEST(SpreadTable, HalfWidthInPercentAndSamplesOfEachPlacement) {
  Record in_place = example::measured(true);
  in_place.timing->interval95_s = {99e-6, 101e-6};
  in_place.timing->median_s = 100e-6;
  in_place.timing->samples_s.assign(1234, 100e-6);
  const std::vector<Record> rows = {example::measured(false), in_place, example::one_rank(),
                                    example::skipped()};
  // clang-format off
  EXPECT_EQ(spread_table(rows),
            "# Spread of the times: +- is half of the median's 95 % interval within this launch, n the number of samples\n"
            "#                                                          out-of-place         in-place\n"
            "#       size         count      type   redop    root       +-       n       +-       n\n"
            "#        (B)    (elements)                                (%)              (%)\n"
            // (300 - 281) / 2 / 285.215
            "#          8             2     float     sum      -1     3.33       6     1.00    1234\n"
            "#17179869184    4294967296     float     sum      -1      N/A       1      N/A     N/A\n"
            "#\n");
  // clang-format on
}

TEST(SpreadTable, IsEmptyWhereNothingWasMeasured) {
  EXPECT_EQ(spread_table({}), "");
  EXPECT_EQ(spread_table(std::vector{example::skipped(), example::failed()}), "");
}

TEST(SpreadTable, ATimeOfZeroHasNoRelativeSpread) {
  Record row = example::measured(false);
  row.timing->median_s = 0;
  EXPECT_NE(spread_table(std::vector{row}).find("-1      N/A       6"), std::string::npos);
}

}  // namespace
}  // namespace collbench
