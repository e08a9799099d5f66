// SPDX-License-Identifier: Apache-2.0
#include "traffic/matrix_spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/errors.h"

namespace collbench::traffic {
namespace {

std::string failure(std::string_view text) {
  try {
    return "no failure, but " + to_text(parse_matrix_spec(text, "--matrix"));
  } catch (const UserError& error) {
    return error.what();
  }
}

Matrix weights(std::string_view text, int ranks, std::uint64_t seed = 1) {
  return make_weights(parse_matrix_spec(text, "--matrix"), ranks, seed);
}

TEST(MatrixSpec, IsReadAndWritten) {
  for (const std::string text : {"uniform", "linear:0.5", "zipf:1.2", "lognormal:1", "hot:0.25",
                                 "file:some/where:else.txt"}) {
    EXPECT_EQ(to_text(parse_matrix_spec(text, "--matrix")), text);
  }
  EXPECT_EQ(parse_matrix_spec("zipf:1.2", "--matrix"), (MatrixSpec{MatrixKind::zipf, 1.2, ""}));
}

TEST(MatrixSpec, NonsenseIsNamed) {
  EXPECT_EQ(failure("skewed:1"),
            "--matrix: 'skewed' is no traffic matrix; choose from uniform, linear, zipf, "
            "lognormal, hot, file");
  EXPECT_EQ(failure("zipf"), "--matrix zipf: give it as zipf:EXPONENT");
  EXPECT_EQ(failure("uniform:1"), "--matrix uniform: nothing can follow it");
  EXPECT_EQ(failure("hot:1.5"), "--matrix hot: the SHARE '1.5' is no number from 0 to 1");
  EXPECT_EQ(failure("file:"), "--matrix file: the path is empty");
  for (const char* text : {"", "zipf:", "zipf:x", "zipf:1x", "zipf:-1", "zipf:nan", "lognormal:inf",
                           "linear:1.01", "hot: 1"}) {
    EXPECT_TRUE(failure(text).starts_with("--matrix")) << failure(text);
  }
}

TEST(MatrixSpec, UniformIsTheSameForEveryPair) {
  const Matrix m = weights("uniform", 3);
  EXPECT_EQ(scaled(m, 3 * 48), scaled(weights("linear:0", 3), 3 * 48));
  EXPECT_EQ(m.largest_sum(), 3U);
  EXPECT_EQ(scaled(m, 1000).largest_sum(),
            message_bytes(alltoallv, block_count(alltoallv, 1000, DataType::float32, 3),
                          DataType::float32, 3));
}

// nccl-tests' shares for 4 ranks, by hand: (1-s)/4 + s d/6.
TEST(MatrixSpec, LinearGrowsWithTheDistance) {
  const Matrix all = scaled(weights("linear:1", 4), 6 * 16);
  const Matrix half = scaled(weights("linear:0.5", 4), 24 * 16);
  for (int from = 0; from < 4; ++from) {
    for (int d = 0; d < 4; ++d) {
      const int to = (from + d) % 4;
      EXPECT_EQ(all.at(from, to), static_cast<Bytes>(16 * d));
      EXPECT_EQ(half.at(from, to), static_cast<Bytes>(16 * (3 + 2 * d)));
    }
  }
  EXPECT_DOUBLE_EQ(max_over_mean(all), 1);
}

TEST(MatrixSpec, ZipfFallsWithTheRankOfPopularity) {
  const Matrix m = weights("zipf:1", 4);
  std::vector<std::uint64_t> columns;
  for (int to = 0; to < 4; ++to) columns.push_back(m.at(0, to));
  std::sort(columns.rbegin(), columns.rend());
  EXPECT_EQ(columns[0], 1ULL << 32);
  EXPECT_EQ(columns[1], 1ULL << 31);
  EXPECT_NEAR(static_cast<double>(columns[2]), 0x1p32 / 3, 1);
  EXPECT_EQ(columns[3], 1ULL << 30);
  for (int from = 1; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) EXPECT_EQ(m.at(from, to), m.at(0, to));
  }
  EXPECT_EQ(weights("zipf:0", 4).at(1, 2), weights("zipf:0", 4).at(2, 1));
}

TEST(MatrixSpec, LognormalHasItsDeviation) {
  constexpr int kRanks = 64;
  const Matrix m = weights("lognormal:0.5", kRanks);
  double sum = 0;
  double squares = 0;
  for (int from = 0; from < kRanks; ++from) {
    for (int to = 0; to < kRanks; ++to) {
      const double logarithm = std::log(static_cast<double>(m.at(from, to)));
      sum += logarithm;
      squares += logarithm * logarithm;
    }
  }
  constexpr double kPairs = kRanks * kRanks;
  const double mean = sum / kPairs;
  EXPECT_NEAR(std::sqrt(squares / kPairs - mean * mean), 0.5, 0.02);
}

TEST(MatrixSpec, OneRankIsHot) {
  const Matrix m = weights("hot:0.5", 5);
  std::set<std::uint64_t> columns;
  for (int to = 0; to < 5; ++to) columns.insert(m.at(0, to));
  EXPECT_EQ(columns, (std::set<std::uint64_t>{1ULL << 31, 1ULL << 33}));  // half; an eighth each
  EXPECT_DOUBLE_EQ(max_over_mean(m), 2.5);                                // half of what 5 send
  EXPECT_DOUBLE_EQ(max_over_mean(weights("hot:1", 5)), 5);
}

TEST(MatrixSpec, OneRankSendsEverythingToItself) {
  for (const char* text : {"uniform", "linear:1", "zipf:2", "lognormal:3", "hot:1", "hot:0"}) {
    EXPECT_EQ(scaled(weights(text, 1), 64).at(0, 0), 64U) << text;
  }
}

TEST(MatrixSpec, SeedsChoose) {
  for (const char* text : {"zipf:1", "lognormal:1", "hot:0.5"}) {
    std::set<std::string> digests;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      digests.insert(digest(weights(text, 8, seed)));
      EXPECT_EQ(digest(weights(text, 8, seed)), digest(weights(text, 8, seed)));
    }
    EXPECT_GE(digests.size(), 8U) << text;
  }
  EXPECT_EQ(weights("linear:0.5", 8, 1), weights("linear:0.5", 8, 2));
}

// Results that name a spec and a seed are compared with each other: these must never change.
TEST(MatrixSpec, KnownMatrices) {
  EXPECT_EQ(digest(weights("linear:0.3", 8)), "75ccb2d36eeb9da3");
  EXPECT_EQ(digest(weights("zipf:1.2", 8)), "63754bb2a969d705");
  EXPECT_EQ(digest(weights("lognormal:1", 8)), "c032c8f4e3998e88");
  EXPECT_EQ(digest(weights("hot:0.7", 8)), "be9e003c3f1ff417");
}

TEST(MatrixSpec, IdentityNamesWhatMatters) {
  const auto of = [](std::string_view text) {
    const MatrixSpec spec = parse_matrix_spec(text, "--matrix");
    return identity(spec, 7, Matrix(2));
  };
  EXPECT_EQ(of("uniform"), "uniform");
  EXPECT_EQ(of("linear:0.5"), "linear:0.5");
  EXPECT_EQ(of("zipf:1.2"), "zipf:1.2 seed 7");
  EXPECT_EQ(of("file:a/b.txt"), "file:b.txt " + digest(Matrix(2)));
}

}  // namespace
}  // namespace collbench::traffic
