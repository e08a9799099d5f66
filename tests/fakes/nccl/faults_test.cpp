// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "rank_processes.h"

namespace fakenccl::test {
namespace {

constexpr std::size_t kCount = 100;

/// Status of a rank that sees an asynchronous error, plus its code.
constexpr int kAsync = 50;
/// Of a rank that saw a call fail, plus its code.
constexpr int kFailed = 60;
constexpr int kWrongData = 70;
/// Of a rank whose operation did not end.
constexpr int kHangs = 71;

/// Waits for the stream: until it is done, has an error, or does nothing for long.
int wait_for(const Rank& r) {
  for (int i = 0; i < 300; ++i) {
    ncclResult_t state = ncclSuccess;
    EXPECT_NCCL(ncclCommGetAsyncError(r.comm, &state));
    if (state != ncclSuccess) return kAsync + state;
    if (cudaStreamQuery(r.stream) == cudaSuccess) return 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return kHangs;
}

/// Two all-reduces and a message to the next rank, until one does not end well; says how that went.
int exchange(const Rank& r, Buffer<int>& buffer, Buffer<int>& received) {
  for (int i = 0; i < 2; ++i) {
    const ncclResult_t result =
        ncclAllReduce(buffer.at(), buffer.at(), kCount, ncclInt32, ncclSum, r.comm, r.stream);
    if (result != ncclSuccess) return kFailed + result;
    if (const int ended = wait_for(r)) return ended;
  }
  EXPECT_NCCL(ncclGroupStart());
  EXPECT_NCCL(ncclSend(buffer.at(), kCount, ncclInt32, 1 - r.rank, r.comm, r.stream));
  EXPECT_NCCL(ncclRecv(received.at(), kCount, ncclInt32, 1 - r.rank, r.comm, r.stream));
  EXPECT_NCCL(ncclGroupEnd());
  if (const int ended = wait_for(r)) return ended;
  return received.read() == std::vector<int>(kCount, 4) ? 0 : kWrongData;
}

RANK_PROGRAM(exchanging) {
  const Rank r = join(place);
  Buffer<int> buffer(kCount, 1), received(kCount, 0);
  const int ended = exchange(r, buffer, received);
  EXPECT_NCCL(ncclCommAbort(r.comm));  // before memory is freed, which waits for the GPU
  EXPECT_CUDA(cudaStreamSynchronize(r.stream));
  return ended;
}

/// Whether the communicator comes into being; the others do not wait for it.
RANK_PROGRAM(joining) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t comm;
  EXPECT_CUDA(cudaSetDevice(place.rank));
  const ncclResult_t begun =
      ncclCommInitRankConfig(&comm, place.ranks, place.id, place.rank, &config);
  if (begun != ncclInProgress) return kFailed + begun;
  ncclResult_t state = ncclInProgress;
  for (int i = 0; i < 100 && state == ncclInProgress; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_NCCL(ncclCommGetAsyncError(comm, &state));
  }
  EXPECT_NCCL(ncclCommAbort(comm));
  return kAsync + state;
}

std::pair<int, int> statuses(const std::string& faults, const char* program = "exchanging") {
  const auto ended = run_ranks(program, 2, {{"FAKE_NCCL_FAULTS", faults}});
  for (const Ended& rank : ended) EXPECT_NE(rank.status, 1) << rank.output;
  return {ended[0].status, ended[1].status};
}

using Pair = std::pair<int, int>;

TEST(Faults, NoneIsNone) { EXPECT_EQ(statuses(""), Pair(0, 0)); }

TEST(Faults, DelayOnlyDelays) { EXPECT_EQ(statuses("AllReduce#2@1=delay:20"), Pair(0, 0)); }

TEST(Faults, AbortEndsADelay) {
  EXPECT_EQ(statuses("AllReduce#1@1=delay:1000000"), Pair(kHangs, kHangs));
}

TEST(Faults, CorruptDataOfACollective) {
  // What rank 0 has received wrongly in the last collective it sends on to rank 1.
  EXPECT_EQ(statuses("AllReduce#2@0=corrupt"), Pair(0, kWrongData));
}

TEST(Faults, CorruptDataOfMessages) {
  EXPECT_EQ(statuses("Recv@0=corrupt"), Pair(kWrongData, 0));
  EXPECT_EQ(statuses("Send@0=corrupt"), Pair(0, kWrongData));
}

TEST(Faults, AsynchronousErrorIsSeenWhereItIs) {
  EXPECT_EQ(statuses("AllReduce#1@0=async:6"), Pair(kAsync + ncclRemoteError, kHangs));
}

TEST(Faults, HangEndsWithAbort) { EXPECT_EQ(statuses("Send@1=hang"), Pair(kHangs, kHangs)); }

TEST(Faults, ExitIsADeathThatTheOthersSee) {
  EXPECT_EQ(statuses("AllReduce#2@1=exit:41"), Pair(kAsync + ncclRemoteError, 41));
}

TEST(Faults, KillIsADeathThatTheOthersSee) {
  EXPECT_EQ(statuses("any#2@0=kill"), Pair(128 + SIGKILL, kAsync + ncclRemoteError));
}

TEST(Faults, DeathMayBeSilentAsItIsOnOneNode) {
  const Variables silent = {{"FAKE_NCCL_FAULTS", "AllReduce@1=kill"},
                            {"FAKE_NCCL_SILENT_DEATH", "1"}};
  EXPECT_EQ(run_ranks("exchanging", 2, silent)[0].status, kHangs);
}

TEST(Faults, ErrorIsReturnedByTheCall) {
  EXPECT_EQ(statuses("AllReduce#1=err:3"),
            Pair(kFailed + ncclInternalError, kFailed + ncclInternalError));
}

TEST(Faults, InitFailsOrHangs) {
  EXPECT_EQ(statuses("CommInitRank@1=err:2", "joining"),
            Pair(kAsync + ncclInProgress, kFailed + ncclSystemError));
  EXPECT_EQ(statuses("CommInitRank@1=async:3", "joining"),
            Pair(kAsync + ncclInProgress, kAsync + ncclInternalError));
  EXPECT_EQ(statuses("CommInitRank@0=hang", "joining"),
            Pair(kAsync + ncclInProgress, kAsync + ncclInProgress));
  EXPECT_EQ(statuses("CommInitRank@0=exit:7", "joining").first, 7);
}

std::string refusal(const std::string& faults) {
  const Ended ended = run_ranks("exchanging", 1, {{"FAKE_NCCL_FAULTS", faults}})[0];
  EXPECT_EQ(ended.status, 2) << faults;
  return ended.output.substr(0, ended.output.find(';'));
}

TEST(Faults, ABadRuleEndsTheProcessWithOneSentence) {
  EXPECT_EQ(refusal("AllReduce"), "FAKE_NCCL_FAULTS: 'AllReduce': there is no '='");
  EXPECT_EQ(refusal("Allreduce=hang"),
            "FAKE_NCCL_FAULTS: 'Allreduce=hang': 'Allreduce' is no operation");
  EXPECT_EQ(refusal("any=boom"), "FAKE_NCCL_FAULTS: 'any=boom': 'boom' is no action");
  EXPECT_EQ(refusal("any=delay"), "FAKE_NCCL_FAULTS: 'any=delay': delay needs an argument");
  EXPECT_EQ(refusal("any=hang:3"), "FAKE_NCCL_FAULTS: 'any=hang:3': hang takes no argument");
  EXPECT_EQ(refusal("any=err:0"),
            "FAKE_NCCL_FAULTS: 'any=err:0': '0' is no error code of NCCL (1 to 6)");
  EXPECT_EQ(refusal("any#0=hang"), "FAKE_NCCL_FAULTS: 'any#0=hang': '0' is no count from 1");
  EXPECT_EQ(refusal("any@x=hang"), "FAKE_NCCL_FAULTS: 'any@x=hang': 'x' is no rank");
}

}  // namespace
}  // namespace fakenccl::test
