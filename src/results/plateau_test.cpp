// SPDX-License-Identifier: Apache-2.0
#include "results/plateau.h"

#include <gtest/gtest.h>

#include "results/example_document.h"

namespace collbench {
namespace {

Record row(Bytes bytes, double busbw_Bps, bool in_place = false) {
  Record row = example::measured(in_place);
  row.key.message_bytes = bytes;
  row.bus_bandwidth_Bps = busbw_Bps;
  return row;
}

TEST(Plateau, ThePeakIsTheFastestRightRow) {
  Record wrong = row(64, 100);
  wrong.status = RowStatus::wrong;
  const std::vector rows = {row(8, 1), wrong, row(16, 9), row(16, 9, true), example::skipped()};
  EXPECT_EQ(peak_row(rows), &rows[2]);
  EXPECT_EQ(peak_row({}), nullptr);
  EXPECT_EQ(peak_row(std::vector{example::one_rank()}), nullptr);
}

TEST(Plateau, BeginsWhereEveryLargerRowIsWithinATenthOfThePeak) {
  const std::vector rows = {row(8, 10),  row(16, 95), row(16, 80, true),
                            row(32, 90), row(64, 91), row(64, 100, true)};
  EXPECT_EQ(plateau(rows), (Plateau{32, 91}));
}

TEST(Plateau, OneSizeOrADropAtTheEndIsNone) {
  EXPECT_EQ(plateau(std::vector{row(8, 5), row(16, 100), row(16, 99, true)}), std::nullopt);
  EXPECT_EQ(plateau(std::vector{row(8, 100), row(16, 99), row(32, 50)}), std::nullopt);
  EXPECT_EQ(plateau({}), std::nullopt);
}

TEST(Plateau, RowsAreTakenBySizeWhateverTheirOrder) {
  EXPECT_EQ(plateau(std::vector{row(64, 100), row(8, 1), row(32, 98)}), (Plateau{32, 99}));
}

}  // namespace
}  // namespace collbench
