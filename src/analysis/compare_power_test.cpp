// SPDX-License-Identifier: Apache-2.0
// How often comparisons find what is there and what is not: seeded simulations of launches.
//
// Launches scatter by 2 %. Rows of one launch may do so each by itself, or all together, as when a
// launch gets other cores: the two ends of what is seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/compare.h"
#include "analysis/example_launches.h"

namespace collbench {
namespace {

constexpr double kNoise = 0.02;

enum class Scatter { by_row, by_launch };

/// By what share a row of the new side is slower.
using Slowdown = double (*)(const RowKey& key);

constexpr Bytes kMostSmall = 65536;  // size class "small", whose threshold is 5 % and not 3 %
constexpr Bytes kMostMid = 16777215;
constexpr Bytes kSmall = 8, kLarge = 64 << 20;  // rows that change by themselves

/// A change that should be found: twice the threshold of small messages, 5 % of others.
double change_of(const RowKey& key) { return key.message_bytes <= kMostSmall ? 0.10 : 0.05; }

double none(const RowKey&) { return 0; }

double all_gather(const RowKey& key) { return key.collective == "all_gather" ? change_of(key) : 0; }
double all_gather_above_small(const RowKey& key) {
  return key.message_bytes > kMostSmall ? all_gather(key) : 0;
}
double all_gather_large(const RowKey& key) {
  return key.message_bytes > kMostMid ? all_gather(key) : 0;
}

template <Bytes kBytes>
double one_row(const RowKey& key) {
  return key.message_bytes == kBytes ? all_gather(key) : 0;
}

struct Setting {
  std::size_t base_launches = 5;
  std::size_t candidate_launches = 5;
  Scatter scatter = Scatter::by_row;
  Slowdown slowdown = none;
};

/// 24 rows: three collectives in eight sizes of all classes.
std::vector<RowKey> three_collectives() {
  std::vector<RowKey> keys;
  for (const char* collective : {"all_reduce", "all_gather", "reduce_scatter"}) {
    for (const Bytes bytes : {kSmall, Bytes{512}, Bytes{8192}, kMostSmall, Bytes{1} << 20,
                              Bytes{4} << 20, Bytes{16} << 20, kLarge}) {
      keys.push_back(example::operation(bytes, collective));
    }
  }
  return keys;
}

/// 24 rows of class "large".
std::vector<RowKey> one_large_collective() {
  std::vector<RowKey> keys;
  for (Bytes mebibytes = 16; mebibytes < 16 + 24; ++mebibytes) {
    keys.push_back(example::operation(mebibytes << 20, "all_gather"));
  }
  return keys;
}

class Simulation {
 public:
  Simulation(const Setting& setting, std::vector<RowKey> keys)
      : setting_(setting),
        keys_(std::move(keys)),
        base_(example::launches(setting.base_launches, "base")),
        candidate_(example::launches(setting.candidate_launches, "new")) {
    for (Launches* side : {&base_, &candidate_}) {
      for (const RowKey& key : keys_) {
        side->rows.push_back(example::timed(key, std::vector<double>(side->launches.size(), 1.0)));
      }
    }
  }

  /// The next of independent comparisons.
  Comparison next() {
    scatter(base_, none);
    scatter(candidate_, setting_.slowdown);
    return compare(base_, candidate_, rules_);
  }

 private:
  void scatter(Launches& side, Slowdown slowdown) {
    std::vector<double> together(side.launches.size());
    for (double& log : together) log = noise_(random_);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      for (LaunchValue& value : side.rows[i].values) {
        const double log =
            setting_.scatter == Scatter::by_launch ? together[value.launch] : noise_(random_);
        value.time_s = 1e-4 * (1 + slowdown(keys_[i])) * std::exp(log);
      }
    }
  }

  const Setting setting_;
  const std::vector<RowKey> keys_;
  const CompareRules rules_ = parse_compare_rules(default_compare_rules_text());
  std::mt19937_64 random_{20260301};
  std::normal_distribution<double> noise_{0, kNoise};
  Launches base_, candidate_;
};

/// In what share of so many comparisons `holds`.
template <class Holds>
double share(int comparisons, const Setting& setting, const std::vector<RowKey>& keys,
             Holds holds) {
  Simulation simulation(setting, keys);
  int times = 0;
  for (int i = 0; i < comparisons; ++i) {
    if (holds(simulation.next())) ++times;
  }
  return static_cast<double>(times) / comparisons;
}

bool fails(const Comparison& comparison) {
  return status_of(comparison, default_fail_on()) == ExitStatus::verdict_failed;
}

bool finds_all_gather(const Comparison& comparison) {
  return std::any_of(comparison.families.begin(), comparison.families.end(),
                     [](const FamilyComparison& family) {
                       return family.subject == "all_gather" &&
                              family.finding.verdict == ChangeVerdict::regression;
                     });
}

template <Bytes kBytes>
bool finds_row(const Comparison& comparison) {
  return std::any_of(comparison.rows.begin(), comparison.rows.end(), [](const RowComparison& row) {
    return row.finding.verdict == ChangeVerdict::regression &&
           name_of(row.row().key) == name_of(example::operation(kBytes, "all_gather"));
  });
}

constexpr double kMostFalse = 0.02;
constexpr double kLeastFound = 0.85;

TEST(ComparePower, WhereNothingChangedAFailureIsRare) {
  for (const Scatter scatter : {Scatter::by_row, Scatter::by_launch}) {
    EXPECT_LE(share(2000, {.scatter = scatter}, three_collectives(), fails), kMostFalse);
  }
}

TEST(ComparePower, AFailureIsAsRareOnFewLaunches) {
  for (const Scatter scatter : {Scatter::by_row, Scatter::by_launch}) {
    EXPECT_LE(share(600, {2, 2, scatter}, three_collectives(), fails), kMostFalse);
    EXPECT_LE(share(600, {3, 3, scatter}, three_collectives(), fails), kMostFalse);
    EXPECT_LE(share(600, {5, 1, scatter}, three_collectives(), fails), kMostFalse);
  }
}

TEST(ComparePower, AChangeOfACollectiveIsFoundOnFiveLaunches) {
  for (const Scatter scatter : {Scatter::by_row, Scatter::by_launch}) {
    EXPECT_GE(share(400, {5, 5, scatter, all_gather}, three_collectives(), finds_all_gather),
              kLeastFound);
    EXPECT_GE(share(400, {5, 5, scatter, all_gather}, one_large_collective(), finds_all_gather),
              kLeastFound);
  }
}

// Of rows that scatter each by itself: where they do so together, five launches are five values.
TEST(ComparePower, AChangeOfASizeClassIsFoundOnFiveLaunches) {
  EXPECT_GE(share(400, {5, 5, Scatter::by_row, all_gather_above_small}, three_collectives(),
                  finds_all_gather),
            kLeastFound);
  EXPECT_GE(
      share(400, {5, 5, Scatter::by_row, all_gather_large}, three_collectives(), finds_all_gather),
      kLeastFound);
}

TEST(ComparePower, AChangeOfOneRowIsFoundOnTenLaunches) {
  for (const Scatter scatter : {Scatter::by_row, Scatter::by_launch}) {
    EXPECT_GE(
        share(400, {10, 10, scatter, one_row<kSmall>}, three_collectives(), finds_row<kSmall>),
        kLeastFound);
    EXPECT_GE(
        share(400, {10, 10, scatter, one_row<kLarge>}, three_collectives(), finds_row<kLarge>),
        kLeastFound);
  }
}

/// On average, of a large row on ten launches that scatter by 2 %, beside 23 others.
constexpr double kDetectable = 0.0445;

double detectable_row(const RowKey& key) { return one_row<kLarge>(key) > 0 ? kDetectable : 0; }

TEST(ComparePower, TheDetectableChangeIsFoundAsOftenAsItPromises) {
  const Setting setting = {10, 10, Scatter::by_row, detectable_row};
  constexpr int kComparisons = 500;
  double sum = 0, found = 0;
  Simulation simulation(setting, three_collectives());
  for (int i = 0; i < kComparisons; ++i) {
    const Comparison comparison = simulation.next();
    for (const RowComparison& row : comparison.rows) {
      if (row.candidate->name == name_of(example::operation(kLarge)))
        sum += *row.change->detectable;
    }
    found += finds_row<kLarge>(comparison) ? 1 : 0;
  }
  EXPECT_NEAR(sum / kComparisons, kDetectable, 0.001);
  EXPECT_NEAR(found / kComparisons, 0.85, 0.05);
}

}  // namespace
}  // namespace collbench
