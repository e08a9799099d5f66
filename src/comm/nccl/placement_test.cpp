// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/placement.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "comm/nccl/device_state.h"
#include "comm/nccl/library_versions.h"

namespace collbench {
namespace {

GpuSeat seat(const char* host, const char* bus_id) {
  return {host + std::string("'s kernel"), host, bus_id, "", 4, 22809};
}

TEST(Placement, RanksTakeGpusInOrder) {
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(device_of_rank(rank, 4, 4), rank);
    EXPECT_EQ(device_of_rank(rank, 4, 8), rank);
  }
}

TEST(Placement, EachProcessMaySeeOnlyItsOwn) {
  EXPECT_EQ(device_of_rank(3, 4, 1), 0);
  // Two processes of two rank threads each, with two GPUs each.
  const int devices[] = {device_of_rank(0, 4, 2), device_of_rank(1, 4, 2), device_of_rank(2, 4, 2),
                         device_of_rank(3, 4, 2)};
  EXPECT_EQ(std::vector<int>(devices, devices + 4), (std::vector<int>{0, 1, 0, 1}));
}

TEST(Placement, SaysNothingOfRanksThatFit) {
  EXPECT_EQ(seating_fault({seat("a", "0000:01:00.0")}), "");
  EXPECT_EQ(seating_fault({seat("a", "0000:01:00.0"), seat("a", "0000:02:00.0"),
                           seat("b", "0000:01:00.0"), seat("b", "0000:02:00.0")}),
            "");
}

TEST(Placement, FindsTwoRanksOnOneGpu) {
  EXPECT_EQ(
      seating_fault({seat("b", "0000:01:00.0"), seat("a", "0000:01:00.0"),
                     seat("a", "0000:02:00.0"), seat("a", "0000:01:00.0")}),
      "ranks 1 and 3 on a would share the GPU 0000:01:00.0, and NCCL needs one for each: there "
      "are 3 ranks on this host, and a process sees 4 GPUs; start fewer ranks, have each "
      "process see GPUs of its own, or use --backend mpi");
}

// Two containers of one machine have names of their own, and hosts of two clusters the same one.
TEST(Placement, TellsMachinesByTheirKernels) {
  GpuSeat other = seat("b", "0000:01:00.0");
  other.machine = seat("a", "").machine;
  EXPECT_NE(seating_fault({seat("a", "0000:01:00.0"), other}), "");
  other = seat("a", "0000:01:00.0");
  other.machine = "another";
  EXPECT_EQ(seating_fault({seat("a", "0000:01:00.0"), other}), "");
}

TEST(Placement, FindsOtherVersionsOfNccl) {
  GpuSeat old = seat("b", "0000:02:00.0");
  old.nccl_version = 21903;
  EXPECT_EQ(seating_fault({seat("a", "0000:01:00.0"), old}),
            "rank 0 on a has NCCL 2.28.9 and rank 1 on b has NCCL 2.19.3: ranks of different "
            "versions do not work together; install one on all hosts, or name it with --nccl-lib");
}

TEST(Placement, FindsAGpuThatCannotBeUsedFirst) {
  GpuSeat broken = seat("b", "");
  broken.failure = "cudaSetDevice(device) failed";
  broken.nccl_version = 1;
  EXPECT_EQ(seating_fault({seat("a", "0000:01:00.0"), broken}),
            "rank 1 on b cannot use its GPU: cudaSetDevice(device) failed; mend that, or leave the "
            "host out");
}

TEST(LibraryVersions, AreWrittenAsPeopleDo) {
  EXPECT_EQ(nccl_version_text(22809), "2.28.9");
  EXPECT_EQ(nccl_version_text(kLeastNccl), "2.19.0");
  EXPECT_EQ(cuda_version_text(13000), "13.0");
  EXPECT_EQ(cuda_version_text(12090), "12.9");
}

TEST(ThrottleReasons, AreNamed) {
  EXPECT_TRUE(throttle_reasons(0).empty());
  EXPECT_TRUE(throttle_reasons(0x1).empty()) << "an idle GPU is not held back";
  EXPECT_TRUE(throttle_reasons(0x2).empty()) << "nor is one whose clock was chosen";
  EXPECT_EQ(throttle_reasons(0x1 | 0x4 | 0x40),
            (std::vector<std::string>{"sw_power_cap", "hw_thermal_slowdown"}));
  EXPECT_EQ(throttle_reasons(0x1000), std::vector<std::string>{"other"});
}

}  // namespace
}  // namespace collbench
