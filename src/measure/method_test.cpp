// SPDX-License-Identifier: Apache-2.0
#include "measure/method.h"

#include <gtest/gtest.h>

namespace collbench {
namespace {

TEST(Aggregation, IsThatOfItsName) {
  const std::array by_rank = {3.0, 1.0, 8.0};
  EXPECT_EQ(aggregate(Aggregation::rank0, by_rank), 3);
  EXPECT_EQ(aggregate(Aggregation::mean, by_rank), 4);
  EXPECT_EQ(aggregate(Aggregation::min, by_rank), 1);
  EXPECT_EQ(aggregate(Aggregation::max, by_rank), 8);
}

// What nccl-tests' users type.
TEST(Aggregation, NumbersAreThoseOfNcclTests) {
  EXPECT_EQ(name_of(Aggregation{0}), "rank0");
  EXPECT_EQ(name_of(Aggregation{1}), "mean");
  EXPECT_EQ(name_of(Aggregation{2}), "min");
  EXPECT_EQ(name_of(Aggregation{3}), "max");
}

}  // namespace
}  // namespace collbench
