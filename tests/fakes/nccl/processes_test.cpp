// SPDX-License-Identifier: Apache-2.0
// Ranks that are processes: the same operations, death, and that nothing remains.
#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "rank_processes.h"

namespace fakenccl::test {
namespace {

constexpr std::size_t kCount = 300000;

RANK_PROGRAM(exchange) {
  Rank r = join(place);
  const auto ranks = static_cast<std::size_t>(r.ranks);
  Buffer<float> buffer(kCount, static_cast<float>(r.rank + 1));
  Buffer<float> all(kCount * ranks);
  EXPECT_NCCL(
      ncclAllReduce(buffer.at(), buffer.at(), kCount, ncclFloat32, ncclSum, r.comm, r.stream));
  EXPECT_NCCL(ncclAllGather(buffer.at(), all.at(), kCount, ncclFloat32, r.comm, r.stream));
  r.synchronize();
  const float sum = static_cast<float>(r.ranks * (r.ranks + 1)) / 2;
  EXPECT_EQ(all.read(), std::vector<float>(kCount * ranks, sum));
  const int next = (r.rank + 1) % r.ranks, before = (r.rank + r.ranks - 1) % r.ranks;
  buffer.write(std::vector<float>(kCount, static_cast<float>(r.rank)));
  EXPECT_NCCL(ncclGroupStart());
  EXPECT_NCCL(ncclSend(buffer.at(), kCount, ncclFloat32, next, r.comm, r.stream));
  EXPECT_NCCL(ncclRecv(all.at(), kCount, ncclFloat32, before, r.comm, r.stream));
  EXPECT_NCCL(ncclGroupEnd());
  r.synchronize();
  EXPECT_EQ(all.read()[kCount - 1], static_cast<float>(before));
  leave(r);
  return 0;
}

TEST(Processes, ExchangeData) {
  for (const Ended& ended : run_ranks("exchange", 3)) EXPECT_EQ(ended.status, 0) << ended.output;
}

}  // namespace
}  // namespace fakenccl::test
