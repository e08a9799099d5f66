// SPDX-License-Identifier: Apache-2.0
#include "cli/memcpy_options.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench {
namespace {

MemcpyOptions parsed(const std::vector<std::string>& arguments) {
  return parse_memcpy_command(arguments).options;
}

std::string refusal(const std::vector<std::string>& arguments) {
  try {
    parse_memcpy_command(arguments);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(MemcpyOptions, DefaultsAreThoseOfCollectives) {
  const MemcpyOptions options = parsed({});
  EXPECT_EQ(options.sweep.min_bytes, 32ULL << 20);
  EXPECT_EQ(options.sweep.max_bytes, 32ULL << 20);
  EXPECT_FALSE(options.iterations);
  EXPECT_FALSE(options.samples);
  EXPECT_TRUE(options.check);
}

TEST(MemcpyOptions, ReadsItsFlags) {
  const MemcpyOptions options = parsed({"-b", "1K", "-e", "4M", "-f", "4", "-n", "5", "--samples",
                                        "7", "-w", "3", "-c", "0", "-t", "2", "-J", "x.json"});
  EXPECT_EQ(options.sweep.min_bytes, 1024U);
  EXPECT_EQ(options.sweep.max_bytes, 4ULL << 20);
  EXPECT_EQ(options.sweep.factor, 4U);
  EXPECT_EQ(options.iterations, 5U);
  EXPECT_EQ(options.samples, 7U);
  EXPECT_EQ(options.warmup, 3U);
  EXPECT_FALSE(options.check);
  EXPECT_EQ(options.gpu.ranks_per_process(), 2);
  EXPECT_EQ(options.json_path, "x.json");
}

TEST(MemcpyOptions, RefusesWhatCannotBeMeantAndNamesIt) {
  EXPECT_NE(refusal({"-n", "0"}).find("-n: '0'"), std::string::npos);
  EXPECT_NE(refusal({"--samples", "x"}).find("--samples"), std::string::npos);
  EXPECT_NE(refusal({"-b", "64M"}).find("-e"), std::string::npos);
  EXPECT_NE(refusal({"-e", "8"}).find("-b"), std::string::npos);
  EXPECT_NE(refusal({"-b", "0", "-e", "8"}).find("-b"), std::string::npos);
  EXPECT_NE(refusal({"-i", "8", "-f", "2"}).find("-i and -f"), std::string::npos);
  EXPECT_NE(refusal({"-g", "2", "--backend", "mpi"}).find("-g 2"), std::string::npos);
}

TEST(MemcpyOptions, HasNoFlagsOfCollectives) {
  for (const char* flag : {"-d", "-o", "-r", "-z", "-G", "--split"}) {
    EXPECT_NE(refusal({flag, "2"}).find(flag), std::string::npos) << flag;
  }
}

TEST(MemcpyOptions, TextsInsteadOfARun) {
  EXPECT_NE(parse_memcpy_command({"--help"}).print->find("--minbytes"), std::string::npos);
  EXPECT_TRUE(parse_memcpy_command({"--version"}).print);
}

}  // namespace
}  // namespace collbench
