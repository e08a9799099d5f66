// SPDX-License-Identifier: Apache-2.0
#include "comm/backend_choice.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench {
namespace {

const BackendOffer kWith = {"node1", "", "/opt/lib/libcollbench_nccl.so"};
const BackendOffer kWithout = {"node2", "no CUDA device", ""};

std::string failure(BackendChoice choice, const std::vector<BackendOffer>& offers) {
  try {
    return "no failure, but " + decide_backend(choice, offers).note;
  } catch (const SystemError& error) {
    return error.what();
  }
}

TEST(BackendChoice, AutomaticTakesNcclWhereAllRanksHaveIt) {
  const BackendDecision decision = decide_backend(BackendChoice::automatic, {kWith, kWith});
  EXPECT_TRUE(decision.nccl);
  EXPECT_EQ(decision.note, "backend nccl: /opt/lib/libcollbench_nccl.so");
}

TEST(BackendChoice, AutomaticTakesMpiWhereNoneHasNcclAndSaysWhy) {
  const BackendDecision decision = decide_backend(BackendChoice::automatic, {kWithout, kWithout});
  EXPECT_FALSE(decision.nccl);
  EXPECT_EQ(decision.note, "backend mpi: nccl is not available: no CUDA device");
}

TEST(BackendChoice, AskedForIsTaken) {
  EXPECT_FALSE(decide_backend(BackendChoice::mpi, {kWith, kWithout}).nccl);
  EXPECT_EQ(decide_backend(BackendChoice::mpi, {kWith}).note, "backend mpi: asked for");
  EXPECT_TRUE(decide_backend(BackendChoice::nccl, {kWith, kWith}).nccl);
}

TEST(BackendChoice, NcclThatCannotBeHadIsAnError) {
  EXPECT_EQ(failure(BackendChoice::nccl, {kWithout, kWithout}),
            "--backend nccl is not available on host node2: no CUDA device; use --backend mpi, or "
            "auto for what there is, both without --nccl-lib");
}

TEST(BackendChoice, RanksThatDifferAreNamed) {
  for (const BackendChoice choice : {BackendChoice::automatic, BackendChoice::nccl}) {
    EXPECT_EQ(failure(choice, {kWith, kWith, kWithout, kWithout}),
              "rank 0 on host node1 has nccl, but rank 2 on host node2 has not (no CUDA device); "
              "mend that host, or run all ranks on the host backend with --backend mpi");
    EXPECT_EQ(failure(choice, {kWithout, kWith}),
              "rank 1 on host node1 has nccl, but rank 0 on host node2 has not (no CUDA device); "
              "mend that host, or run all ranks on the host backend with --backend mpi");
  }
}

}  // namespace
}  // namespace collbench
