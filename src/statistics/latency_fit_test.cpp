// SPDX-License-Identifier: Apache-2.0
#include "statistics/latency_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace collbench::statistics {
namespace {

// 8 B to 1 GiB by factors of two, 10 us and 100 GB/s.
std::vector<SizeTime> sweep(double latency = 10e-6, double bandwidth = 100e9) {
  std::vector<SizeTime> points;
  for (double size = 8; size <= 1 << 30; size *= 2) {
    points.push_back({size, latency + size / bandwidth});
  }
  return points;
}

TEST(LatencyFit, ExactPointsGiveTheLine) {
  const auto points = sweep();
  const LatencyFit fit = fit_latency(points);
  EXPECT_NEAR(fit.latency, 10e-6, 1e-12);
  EXPECT_NEAR(fit.bandwidth, 100e9, 1e3);
  EXPECT_NEAR(fit.median_error, 0, 1e-12);
  EXPECT_EQ(fit.points, points.size());
  EXPECT_EQ(fit_latency_pieces(points).size(), 1u);
}

// Method, section on fits: noise of 3 %, 5 % of points twice as slow.
TEST(LatencyFit, NoiseAndSpikesBarelyMoveIt) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.03);
  std::uniform_real_distribution<double> uniform(0, 1);
  int good = 0;
  for (int run = 0; run < 40; ++run) {
    auto points = sweep();
    for (SizeTime& point : points) {
      point.time *= std::exp(noise(random)) * (uniform(random) < 0.05 ? 2 : 1);
    }
    const LatencyFit fit = fit_latency(points);
    good += std::abs(fit.latency / 10e-6 - 1) < 0.04 && std::abs(fit.bandwidth / 100e9 - 1) < 0.05;
  }
  EXPECT_GE(good, 36);
}

TEST(LatencyFit, AChangeOfProtocolIsASecondPiece) {
  auto points = sweep();
  for (SizeTime& point : points) {
    if (point.size >= 65536) point.time = 40e-6 + point.size / 200e9;
  }
  const auto pieces = fit_latency_pieces(points);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[1].from_size, 65536);
  EXPECT_NEAR(pieces[0].latency, 10e-6, 1e-9);
  EXPECT_NEAR(pieces[1].latency, 40e-6, 1e-9);
  EXPECT_NEAR(pieces[1].bandwidth, 200e9, 1e6);
}

TEST(LatencyFit, ManySizesAreCutNearWhereTheyChange) {
  std::vector<SizeTime> points;
  for (int i = 1; i <= 2000; ++i) {
    const double size = 1000.0 * i;
    points.push_back({size, (i < 1000 ? 10e-6 : 40e-6) + size / 100e9});
  }
  const auto pieces = fit_latency_pieces(points);
  ASSERT_GE(pieces.size(), 2u);
  EXPECT_NEAR(pieces[1].from_size, 1000e3, 2000e3 / 48);
}

// Launches measure the same sizes: what is of one size is of one piece.
TEST(LatencyFit, PiecesBeginBetweenTwoSizes) {
  std::vector<SizeTime> points;
  for (const SizeTime& point : sweep()) {
    const double time = point.size >= 65536 ? 40e-6 + point.size / 200e9 : point.time;
    for (const double noise : {0.999, 1.0, 1.001}) points.push_back({point.size, time * noise});
  }
  const auto pieces = fit_latency_pieces(points);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[1].from_size, 65536);
  EXPECT_EQ(pieces[0].points % 3, 0u);
}

TEST(LatencyFit, ALatencyIsNeverNegative) {
  const std::vector<SizeTime> points = {{1, 0.5}, {2, 2}, {3, 3.5}};
  EXPECT_EQ(fit_latency(points).latency, 0);
}

TEST(LatencyFit, TimesThatDoNotGrowHaveNoBandwidth) {
  const std::vector<SizeTime> points = {{8, 5}, {16, 5}, {32, 5}};
  const LatencyFit fit = fit_latency(points);
  EXPECT_NEAR(fit.latency, 5, 1e-9);
  EXPECT_TRUE(std::isinf(fit.bandwidth));
}

}  // namespace
}  // namespace collbench::statistics
