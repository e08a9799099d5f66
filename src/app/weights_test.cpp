// SPDX-License-Identifier: Apache-2.0
#include "app/weights.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench {
namespace {

TEST(Weights, AFileThatCannotBeReadIsNamed) {
  const auto failure_of = [](const std::string& path) -> std::string {
    try {
      return "no failure, but " + read_matrix_file(path);
    } catch (const UserError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(failure_of("/no/such/matrix"),
            "the traffic matrix /no/such/matrix cannot be read: No such file or directory");
  EXPECT_EQ(failure_of("/"), "the traffic matrix / cannot be read: it is a folder");
}

}  // namespace
}  // namespace collbench
