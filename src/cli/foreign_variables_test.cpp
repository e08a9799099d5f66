// SPDX-License-Identifier: Apache-2.0
#include "cli/foreign_variables.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/errors.h"

namespace collbench {
namespace {

std::string refusal(bool needs_matrix, const std::map<std::string, std::string>& environment) {
  try {
    refuse_foreign_variables(needs_matrix, [&](const char* name) -> const char* {
      const auto found = environment.find(name);
      return found == environment.end() ? nullptr : found->second.c_str();
    });
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(ForeignVariables, AreRefusedWhereTheyWouldCount) {
  EXPECT_EQ(refusal(true, {}), "");
  EXPECT_EQ(refusal(true, {{"NCCL_TESTS_ALLTOALLV_MATRIX_FILE", "m.txt"}}),
            "NCCL_TESTS_ALLTOALLV_MATRIX_FILE: it is not read; give --matrix file:PATH");
  EXPECT_EQ(refusal(true, {{"NCCL_TESTS_ALLTOALLV_SPREAD", "0.5"}}),
            "NCCL_TESTS_ALLTOALLV_SPREAD: it is not read; give --matrix linear:SPREAD");
  EXPECT_EQ(refusal(false, {{"NCCL_TESTS_ALLTOALLV_SPREAD", "0.5"}}), "");
  EXPECT_EQ(refusal(true, {{"NCCL_TESTS_ALLTOALLV_SPREAD", ""}}), "");
}

TEST(ForeignVariables, TheFirstDeviceIsAWholeNumber) {
  const auto device = [](const char* value) {
    return first_device([&](const char* name) {
      return std::string(name) == kFirstDeviceVariable ? value : nullptr;
    });
  };
  EXPECT_EQ(device(nullptr), std::nullopt);
  EXPECT_EQ(device(""), std::nullopt);
  EXPECT_EQ(device("3"), 3);
  for (const char* garbage : {"-1", "gpu0", "1,2", "99999"}) {
    EXPECT_THROW(device(garbage), UserError) << garbage;
  }
}

}  // namespace
}  // namespace collbench
