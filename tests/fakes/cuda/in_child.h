// SPDX-License-Identifier: Apache-2.0
// Tests of what the environment sets: it is read once, so each such test has a process of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

using Environment = std::vector<std::pair<const char*, const char*>>;

/// Runs the body with these variables and ends the process: 0 unless an expectation failed.
template <typename Body>
[[noreturn]] void run_and_exit(const Environment& environment, const Body& body) {
  for (const auto& [name, value] : environment) setenv(name, value, 1);
  body();
  // GoogleTest prints what such a process writes to stderr, and not its failures.
  const testing::TestResult& result =
      *testing::UnitTest::GetInstance()->current_test_info()->result();
  for (int i = 0; i < result.total_part_count(); ++i) {
    const testing::TestPartResult& part = result.GetTestPartResult(i);
    if (!part.failed()) continue;
    std::fprintf(stderr, "%s:%d: %s\n", part.file_name(), part.line_number(), part.message());
  }
  std::fflush(nullptr);
  std::_Exit(testing::Test::HasFailure() ? 1 : 0);
}

/// A new process, not a fork of one that has threads and has read its environment.
template <typename Body>
void expect_in_child(const Environment& environment, const Body& body) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_and_exit(environment, body), testing::ExitedWithCode(0), "");
}

/// Expects that using the runtime with a bad value ends the process with this sentence.
template <typename Body>
void expect_refusal(const Environment& environment, const Body& body, const char* sentence) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_and_exit(environment, body), testing::ExitedWithCode(2), sentence);
}
