// SPDX-License-Identifier: Apache-2.0
// The alignment under MPI: nobody leaves before all have come.
#include "measure/alignment.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "comm/mpi/host_test_rank.h"

namespace collbench {
namespace {

TEST(Alignment, NobodyLeavesBeforeTheLastHasCome) {
  for (const TestMode& mode : test_modes()) {
    TestRank test(mode.use);
    ControlPlane& control = test_session().control_plane();
    Alignment alignment(test.backend->make_communicator(*test.device), *test.device,
                        std::vector<int>(static_cast<std::size_t>(test.size), 0));
    for (int late = 0; late < test.size; ++late) {
      if (test.rank == late) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      const double came_s = test.rank == late ? test.device->now_s() : 0;
      alignment.align(*test.stream);
      const double left_s = test.device->now_s();
      EXPECT_GE(left_s, control.max(came_s)) << mode.name << ": rank " << late << " was late";
    }
  }
}

}  // namespace
}  // namespace collbench
