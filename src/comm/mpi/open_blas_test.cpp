// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/open_blas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/errors.h"

namespace collbench {
namespace {

std::ptrdiff_t threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST(OpenBlas, MultipliesRowByRowAndAdds) {
  const OpenBlas blas;
  EXPECT_EQ(blas.name().rfind("OpenBLAS ", 0), 0U) << blas.name();
  EXPECT_EQ(std::ranges::count(blas.name(), ' '), 1);
  // In rows of four, of which a product takes fewer.
  const std::array<float, 8> a = {1, 2, 3, 99, 4, 5, 6, 99};
  const std::array<float, 12> b = {1, 0, 99, 99, 2, 1, 99, 99, 0, 3, 99, 99};
  std::array<float, 8> c = {50, 50, 7, 7, 50, 50, 7, 7};
  const OpenBlas::Product product{2, 2, 3, {a.data(), 4}, {b.data(), 4}, {c.data(), 4}, false};
  blas.multiply(product);
  EXPECT_EQ(c, (std::array<float, 8>{5, 11, 7, 7, 14, 23, 7, 7}));
  OpenBlas::Product adding = product;
  adding.adds = true;
  blas.multiply(adding);
  EXPECT_EQ(c, (std::array<float, 8>{10, 22, 7, 7, 28, 46, 7, 7}));
}

[[noreturn]] void open_and_count() {
  setenv("OPENBLAS_NUM_THREADS", "4", 1);
  const std::ptrdiff_t before = threads();
  const OpenBlas blas;
  const bool alone = threads() == before;
  const bool kept = std::getenv("OPENBLAS_NUM_THREADS") == std::string("4");
  std::_Exit(alone && kept ? 0 : 1);
}

// In a process that has not loaded it yet.
TEST(OpenBlas, StartsNoThreads) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(open_and_count(), testing::ExitedWithCode(0), "");
}

std::string why_not(const char* file) {
  try {
    const OpenBlas blas(file);
  } catch (const SystemError& error) {
    return error.what();
  }
  return "";
}

TEST(OpenBlas, WhatCannotBeHadIsNamed) {
  const std::string missing = why_not("libno_such_blas.so.0");
  EXPECT_NE(missing.find("libno_such_blas.so.0"), std::string::npos) << missing;
  EXPECT_NE(missing.find("libopenblas0"), std::string::npos) << missing;
  const std::string other = why_not("libm.so.6");
  EXPECT_NE(other.find("it has no cblas_sgemm"), std::string::npos) << other;
}

}  // namespace
}  // namespace collbench
