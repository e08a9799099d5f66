// SPDX-License-Identifier: Apache-2.0
#include "traffic/matrix.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace collbench::traffic {
namespace {

Matrix matrix(int ranks, std::initializer_list<std::uint64_t> numbers) {
  Matrix result(ranks);
  auto next = numbers.begin();
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) result.at(from, to) = *next++;
  }
  return result;
}

TEST(Matrix, SumsOfRowsAndColumns) {
  const Matrix m = matrix(2, {1, 20, 300, 4000});
  EXPECT_EQ(m.sent_by(0), 21U);
  EXPECT_EQ(m.sent_by(1), 4300U);
  EXPECT_EQ(m.received_by(0), 301U);
  EXPECT_EQ(m.received_by(1), 4020U);
  EXPECT_EQ(m.most_sent(), 4300U);
  EXPECT_EQ(m.most_received(), 4020U);
  EXPECT_EQ(m.largest_sum(), 4300U);
}

TEST(Matrix, ScalesItsLargestSumToTheMessage) {
  // The largest sum is the second column, 4: a quarter of 1024 for each 1.
  EXPECT_EQ(scaled(matrix(2, {1, 2, 0, 2}), 1024), matrix(2, {256, 512, 0, 512}));
}

TEST(Matrix, EveryBlockIsWholeSixteenBytes) {
  // 100/3 = 33.3 for each: cut to 32.
  const Matrix m = scaled(matrix(3, {1, 1, 1, 1, 1, 1, 1, 1, 1}), 100);
  EXPECT_EQ(m, matrix(3, {32, 32, 32, 32, 32, 32, 32, 32, 32}));
  EXPECT_EQ(m.largest_sum(), 96U);
}

TEST(Matrix, BytesThatAddUpToTheMessageAreOnlyCut) {
  const Matrix bytes = matrix(2, {1000, 24, 17, 5});
  EXPECT_EQ(scaled(bytes, bytes.largest_sum()), matrix(2, {992, 16, 16, 0}));
}

TEST(Matrix, ScalesPast32BitsExactly) {
  const Bytes message = (1ULL << 45) + 48;
  const Matrix m = scaled(matrix(2, {1ULL << 61, 1ULL << 61, 0, 0}), message);
  EXPECT_EQ(m.at(0, 0), (1ULL << 44) + 16);  // half is ... + 24
}

TEST(Matrix, NothingScalesToNothing) {
  EXPECT_EQ(scaled(Matrix(2), 1024), Matrix(2));
  EXPECT_EQ(scaled(matrix(2, {1, 1, 1, 1}), 0), Matrix(2));
}

TEST(Matrix, InElements) {
  EXPECT_EQ(in_elements(matrix(2, {32, 0, 16, 48}), 8), matrix(2, {4, 0, 2, 6}));
}

TEST(Matrix, LoadIsTheMostOverTheMean) {
  EXPECT_DOUBLE_EQ(max_over_mean(matrix(2, {1, 1, 1, 1})), 1.0);
  // Rank 1 receives 6 of 8 in all; the mean of 2 ranks is 4.
  EXPECT_DOUBLE_EQ(max_over_mean(matrix(2, {1, 3, 1, 3})), 1.5);
  // Rank 0 sends all 8.
  EXPECT_DOUBLE_EQ(max_over_mean(matrix(2, {4, 4, 0, 0})), 2.0);
  EXPECT_DOUBLE_EQ(max_over_mean(Matrix(3)), 1.0);
}

TEST(Matrix, DigestsTellMatricesApart) {
  const std::string one = digest(matrix(2, {1, 2, 3, 4}));
  EXPECT_EQ(one.size(), 16U);
  EXPECT_EQ(one, digest(matrix(2, {1, 2, 3, 4})));
  EXPECT_NE(one, digest(matrix(2, {1, 3, 2, 4})));
  EXPECT_NE(one, digest(matrix(2, {1, 2, 3, 5})));
}

}  // namespace
}  // namespace collbench::traffic
