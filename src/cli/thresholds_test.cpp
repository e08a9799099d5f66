// SPDX-License-Identifier: Apache-2.0
#include "cli/thresholds.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench {
namespace {

constexpr Sweep kSweep = {.min_bytes = 1024, .max_bytes = 1 << 20, .step_bytes = 1, .factor = 4};

std::string error_of(std::string_view text) {
  try {
    parse_size_thresholds(text, "--min-busbw", kSweep);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(CliThresholds, OnePerSize) {
  EXPECT_EQ(parse_size_thresholds("1M=10,4KiB=0.5", "--min-busbw", kSweep),
            (std::vector<SizeThreshold>{{1 << 20, 10e9}, {4096, 0.5e9}}));
}

TEST(CliThresholds, WhatCannotBeMeantIsRefused) {
  for (const char* text : {"", "1M", "1M=", "=10", "1M=0", "1M=-1", "1M=inf", "1M=nan", "1M=10GB",
                           "1M=10,", ",1M=10", "1M=1M=1", "1M=10,1M=20", "3M=10", "2K=10"}) {
    const std::string error = error_of(text);
    EXPECT_TRUE(error.starts_with("--min-busbw: ")) << text << ": " << error;
  }
  EXPECT_NE(error_of("2K=10").find("2048 B is no size of this sweep"), std::string::npos);
  EXPECT_NE(error_of("1M=1,1024K=2").find("twice"), std::string::npos);
}

TEST(CliThresholds, TheVariableIsAPositiveNumberOrUnset) {
  EXPECT_EQ(parse_min_bandwidth(nullptr), std::nullopt);
  EXPECT_EQ(parse_min_bandwidth("12.5"), 12.5e9);
  EXPECT_EQ(parse_min_bandwidth("1e2"), 100e9);
  for (const char* value :
       {"", "0", "-1", "garbage", "nan", "inf", "10 ", " 10", "10GB/s", "0x10"}) {
    EXPECT_THROW(parse_min_bandwidth(value), UserError) << value;
  }
}

}  // namespace
}  // namespace collbench
