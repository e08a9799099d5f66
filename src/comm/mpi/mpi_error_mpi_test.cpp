// SPDX-License-Identifier: Apache-2.0
// What a failed call into MPI says.
#include "comm/mpi/mpi_error.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/errors.h"
#include "comm/mpi/large_count.h"
#include "comm/mpi/mpi_test_session.h"

namespace collbench {
namespace {

std::string failure_of_a_call() {
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  const int no_such_root = test_session().size();
  try {
    COLLBENCH_MPI_CHECK(COLLBENCH_MPI_C(MPI_Ibcast)(&value, mpi_count(1), MPI_INT, no_such_root,
                                                    MPI_COMM_WORLD, &request));
  } catch (const SystemError& error) {
    return error.what();
  }
  return "no failure";
}

TEST(MpiError, NamesCallClassAndPlaceInOneLine) {
  const std::string text = failure_of_a_call();
  EXPECT_TRUE(text.starts_with("MPI_Ibcast(&value, mpi_count(1), MPI_INT, no_such_root,")) << text;
  EXPECT_NE(text.find(" failed with MPI_ERR_ROOT: "), std::string::npos) << text;
  EXPECT_NE(text.find("mpi_error_mpi_test.cpp:"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

TEST(LargeCount, PassesWhatTheLibraryCanCountAndRefusesMore) {
  constexpr auto kLargest = static_cast<Count>(std::numeric_limits<MpiCount>::max());
  EXPECT_EQ(mpi_count(0), 0);
  EXPECT_EQ(mpi_count(kLargest), std::numeric_limits<MpiCount>::max());
  try {
    mpi_count(kLargest + 1);
    FAIL() << "counted too far";
  } catch (const SystemError& error) {
    EXPECT_NE(std::string(error.what()).find("use smaller messages"), std::string::npos);
  }
}

}  // namespace
}  // namespace collbench
