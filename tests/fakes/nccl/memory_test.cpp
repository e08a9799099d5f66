// SPDX-License-Identifier: Apache-2.0
// What NCCL allocates and is told about.
#include "rank_threads.h"

namespace fakenccl::test {
namespace {

TEST(NcclMemory, IsDeviceMemoryOfWholePages) {
  with_ranks(1, [](Rank& r) {
    void* memory = nullptr;
    ASSERT_EQ(ncclMemAlloc(&memory, 5000), ncclSuccess);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % NCCL_WIN_REQUIRED_ALIGNMENT, 0u);
    EXPECT_NCCL(ncclAllReduce(memory, memory, 5000, ncclInt8, ncclSum, r.comm, r.stream));
    r.synchronize();
    EXPECT_NCCL(ncclMemFree(memory));
    EXPECT_EQ(ncclMemFree(memory), ncclUnhandledCudaError);
    EXPECT_EQ(ncclMemAlloc(nullptr, 1), ncclInvalidArgument);
  });
}

TEST(NcclMemory, RegistrationsBelongToTheirCommunicator) {
  with_ranks(2, [](Rank& r) {
    Buffer<char> buffer(100);
    char host[100];
    void* handle = nullptr;
    EXPECT_NCCL(ncclCommRegister(r.comm, buffer.at(), 100, &handle));
    EXPECT_NE(handle, nullptr);
    void* none = nullptr;
    EXPECT_EQ(ncclCommRegister(r.comm, buffer.at(), 101, &none), ncclInvalidArgument);
    EXPECT_EQ(ncclCommRegister(r.comm, host, 100, &none), ncclInvalidArgument);
    ncclComm_t other;
    EXPECT_NCCL(ncclCommSplit(r.comm, 0, r.rank, &other, nullptr));
    EXPECT_EQ(ncclCommDeregister(other, handle), ncclInvalidArgument);
    EXPECT_NCCL(ncclCommDeregister(r.comm, handle));
    EXPECT_NCCL(ncclCommDestroy(other));
  });
}

TEST(NcclMemory, WindowsStartAtPages) {
  with_ranks(1, [](Rank& r) {
    void* memory = nullptr;
    ASSERT_EQ(ncclMemAlloc(&memory, 8192), ncclSuccess);
    ncclWindow_t window = nullptr;
    char* const odd = static_cast<char*>(memory) + 256;
    EXPECT_EQ(ncclCommWindowRegister(r.comm, odd, 256, &window, NCCL_WIN_COLL_SYMMETRIC),
              ncclInvalidArgument);
    EXPECT_EQ(ncclCommWindowRegister(r.comm, memory, 8192, &window, 64), ncclInvalidArgument);
    EXPECT_NCCL(ncclCommWindowRegister(r.comm, memory, 8192, &window, NCCL_WIN_COLL_SYMMETRIC));
    EXPECT_NE(window, nullptr);
    EXPECT_NCCL(ncclCommWindowDeregister(r.comm, window));
    EXPECT_NCCL(ncclMemFree(memory));
  });
}

}  // namespace
}  // namespace fakenccl::test
