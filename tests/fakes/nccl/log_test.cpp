// SPDX-License-Identifier: Apache-2.0
// FAKE_NCCL_LOG: tests/operation_log_test.py reads the logs of real runs; here is what these lack.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "../cuda/in_child.h"
#include "rank_threads.h"

namespace fakenccl::test {
namespace {

/// Lives as long as its process logs to it.
class LogFolder {
 public:
  LogFolder() {
    EXPECT_NE(mkdtemp(path_), nullptr);
    setenv("FAKE_NCCL_LOG", path_, 1);
  }
  ~LogFolder() { std::filesystem::remove_all(path_); }
  LogFolder(const LogFolder&) = delete;
  LogFolder& operator=(const LogFolder&) = delete;

  std::string of_rank(int rank) const {
    std::ostringstream text;
    text << std::ifstream(path_ + ("/rank-" + std::to_string(rank) + ".jsonl")).rdbuf();
    return text.str();
  }

 private:
  char path_[32] = "/tmp/fake-nccl-log-XXXXXX";
};

TEST(Log, NamesMembersOfASplitAsRanksOfTheRun) {
  expect_in_child({}, [] {
    const LogFolder log;
    with_ranks(3, [](Rank& r) {
      Buffer<int> buffer(2);
      ncclComm_t part = nullptr;
      EXPECT_NCCL(ncclCommSplit(r.comm, r.rank == 1 ? 1 : 0, -r.rank, &part, nullptr));
      EXPECT_NCCL(ncclGroupStart());
      EXPECT_NCCL(ncclBcast(buffer.at(), 1, ncclInt32, 0, part, r.stream));
      EXPECT_NCCL(
          ncclAllReduce(buffer.at(1), buffer.at(1), 1, ncclUint32, ncclMax, r.comm, r.stream));
      EXPECT_NCCL(ncclGroupEnd());
      EXPECT_NCCL(ncclBcast(buffer.at(), 2, ncclInt8, 0, part, r.stream));
      r.synchronize();
      EXPECT_NCCL(ncclCommDestroy(part));
    });
    EXPECT_EQ(
        log.of_rank(0),
        R"({"group": 0, "op": "broadcast", "type": "int32", "count": 1, "root": 0, )"
        R"("communicator": 0, "rank": 1, "ranks": [2, 0]})"
        "\n"
        R"({"group": 0, "op": "all_reduce", "type": "uint32", "reduction": "max", "count": 1, )"
        R"("communicator": 1, "rank": 0, "ranks": [0, 1, 2]})"
        "\n"
        R"({"group": 1, "op": "broadcast", "type": "int8", "count": 2, "root": 0, )"
        R"("communicator": 0, "rank": 1, "ranks": [2, 0]})"
        "\n");
    EXPECT_NE(log.of_rank(1).find(R"("ranks": [1])"), std::string::npos) << log.of_rank(1);
  });
}

TEST(Log, NeedsAFolder) {
  const auto reduce = [] {
    with_ranks(1, [](Rank& r) {
      Buffer<int> buffer(1);
      ncclAllReduce(buffer.at(), buffer.at(), 1, ncclInt32, ncclSum, r.comm, r.stream);
    });
  };
  expect_refusal({{"FAKE_NCCL_LOG", "/no/such/folder"}}, reduce,
                 "FAKE_NCCL_LOG: cannot write /no/such/folder/rank-0.jsonl");
}

}  // namespace
}  // namespace fakenccl::test
