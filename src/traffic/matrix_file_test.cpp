// SPDX-License-Identifier: Apache-2.0
#include "traffic/matrix_file.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench::traffic {
namespace {

std::string failure(std::string_view text, int ranks) {
  try {
    parse_matrix(text, "m.txt", ranks);
    return "no failure";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(MatrixFile, BlanksCommasAndComments) {
  const Matrix m = parse_matrix("# by sender\n1 2\t3\n\n 4,5 ,6 # rank 1\r\n7, 8, 9", "m.txt", 3);
  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to < 3; ++to) {
      EXPECT_EQ(m.at(from, to), static_cast<std::uint64_t>(1 + 3 * from + to));
    }
  }
}

TEST(MatrixFile, NumbersAre64Bit) {
  EXPECT_EQ(parse_matrix("9223372036854775807", "m.txt", 1).at(0, 0), (1ULL << 63) - 1);
}

TEST(MatrixFile, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(failure("1 2\n# x\n3 4K\n", 2), "m.txt, line 3: '4K' is no whole number of bytes");
  EXPECT_EQ(failure("1 2\n3\n", 2),
            "m.txt, line 2: 1 number for 2 ranks; give as many as there are ranks");
  EXPECT_EQ(failure("1 2\n3 4\n5 6\n", 2),
            "m.txt: 3 lines of numbers for 2 ranks; give one for each rank");
  EXPECT_EQ(failure("0 0\n0 0\n", 2), "m.txt: nobody sends anything");
  EXPECT_EQ(failure("1 2\n9223372036854775800 6\n", 2),
            "m.txt, line 2: the bytes add up to more than 2^63");
}

TEST(MatrixFile, OtherNumbersAreRefused) {
  for (const char* text : {"-1", "1.5", "1e3", "0x10", "99999999999999999999", "one", "1;2"}) {
    EXPECT_NE(failure(text, 1).find("is no whole number of bytes"), std::string::npos) << text;
  }
  EXPECT_EQ(failure("", 1), "m.txt: 0 lines of numbers for 1 rank; give one for each rank");
}

}  // namespace
}  // namespace collbench::traffic
