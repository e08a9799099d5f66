// SPDX-License-Identifier: Apache-2.0
#include "cli/comm_init_options.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench {
namespace {

CommInitOptions parsed(const std::vector<std::string>& arguments) {
  return parse_comm_init_command(arguments).options;
}

std::string refusal(const std::vector<std::string>& arguments) {
  try {
    parse_comm_init_command(arguments);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(CommInitOptions, Defaults) {
  const CommInitOptions options = parsed({});
  EXPECT_EQ(options.repetitions, 20U);
  EXPECT_EQ(options.message_bytes, 8U);
  EXPECT_TRUE(options.check);
  EXPECT_EQ(options.gpu.ranks_per_process(), 1);
}

TEST(CommInitOptions, ReadsItsFlags) {
  const CommInitOptions options =
      parsed({"-n", "3", "-b", "1K", "-c", "0", "-g", "2", "-J", "x.json", "--backend", "nccl"});
  EXPECT_EQ(options.repetitions, 3U);
  EXPECT_EQ(options.message_bytes, 1024U);
  EXPECT_FALSE(options.check);
  EXPECT_EQ(options.gpu.ranks_per_process(), 2);
  EXPECT_EQ(options.json_path, "x.json");
  EXPECT_EQ(options.backend, BackendChoice::nccl);
}

TEST(CommInitOptions, RefusesWhatCannotBeMeantAndNamesIt) {
  EXPECT_NE(refusal({"-n", "0"}).find("-n: '0'"), std::string::npos);
  EXPECT_NE(refusal({"-b", "12Q"}).find("-b"), std::string::npos);
  EXPECT_NE(refusal({"-c", "2"}).find("-c"), std::string::npos);
  EXPECT_NE(refusal({"-g", "2", "--backend", "mpi"}).find("-g 2"), std::string::npos);
}

TEST(CommInitOptions, HasNoFlagsOfSweeps) {
  for (const char* flag : {"-e", "-f", "-d", "-o", "-z", "-G", "--samples"}) {
    EXPECT_NE(refusal({flag, "2"}).find(flag), std::string::npos) << flag;
  }
}

TEST(CommInitOptions, TextsInsteadOfARun) {
  EXPECT_NE(parse_comm_init_command({"--help"}).print->find("--iters"), std::string::npos);
  EXPECT_TRUE(parse_comm_init_command({"--version"}).print);
}

}  // namespace
}  // namespace collbench
