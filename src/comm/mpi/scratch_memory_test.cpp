// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/scratch_memory.h"

#include <gtest/gtest.h>

#include <cstring>

namespace collbench {
namespace {

TEST(ScratchMemory, LendsTheSameAgainWhileItIsLargeEnough) {
  ScratchMemory scratch;
  const std::byte* first = scratch.lend(1000).get();
  EXPECT_EQ(scratch.lend(1000).get(), first);
  EXPECT_EQ(scratch.lend(10).get(), first);
  EXPECT_EQ(scratch.lend(1000).get(), first);  // still all of it
}

TEST(ScratchMemory, LendsSeveralAtOnce) {
  ScratchMemory scratch;
  const ScratchMemory::Lease small = scratch.lend(8);
  const ScratchMemory::Lease large = scratch.lend(100000);
  const ScratchMemory::Lease other = scratch.lend(100000);
  EXPECT_NE(large.get(), other.get());
  std::memset(small.get(), 1, 8);
  std::memset(large.get(), 2, 100000);
  std::memset(other.get(), 3, 100000);
  EXPECT_EQ(small[7], std::byte{1});
  EXPECT_EQ(large[99999], std::byte{2});
}

TEST(ScratchMemory, KeepsTheLargestThatCameBack) {
  ScratchMemory scratch;
  ScratchMemory::Lease small = scratch.lend(8);
  ScratchMemory::Lease large = scratch.lend(100000);
  const std::byte* kept = large.get();
  large.reset();
  small.reset();
  EXPECT_EQ(scratch.lend(100000).get(), kept);
}

}  // namespace
}  // namespace collbench
