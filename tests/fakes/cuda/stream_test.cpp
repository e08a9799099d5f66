// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "fake_cuda.h"
#include "gate.h"
#include "in_child.h"
#include "streams.h"

namespace {

class FakeStream : public StreamTest {};

TEST_F(FakeStream, RunsInOrder) {
  const cudaStream_t stream = make(cudaStreamNonBlocking);
  for (const char letter : std::string("abcdefgh")) note(stream, letter);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(log_, "abcdefgh");
}

TEST_F(FakeStream, RunsBesideOthers) {
  const cudaStream_t held = make(cudaStreamNonBlocking);
  const cudaStream_t free = make(cudaStreamNonBlocking);
  const Gate gate(held);
  note(free, 'a');
  EXPECT_EQ(cudaStreamSynchronize(free), cudaSuccess);
  EXPECT_EQ(log_, "a");
  EXPECT_EQ(cudaStreamQuery(held), cudaErrorNotReady);
}

TEST_F(FakeStream, IsReadyWhenEmptyAndWhenDone) {
  const cudaStream_t stream = make(cudaStreamDefault);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  {
    const Gate gate(stream);
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
    EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);
  }
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
}

TEST_F(FakeStream, ForgetsWorkThatIsDone) {
  const cudaStream_t stream = make(cudaStreamNonBlocking);
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = held;
  ASSERT_EQ(fakecuda::enqueue(stream, [held = std::move(held)](fakecuda::ItemTime&) {}),
            cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_TRUE(watched.expired());
}

TEST_F(FakeStream, DeviceSynchronizeWaitsForEveryStream) {
  const cudaStream_t blocking = make(cudaStreamDefault);
  const cudaStream_t other = make(cudaStreamNonBlocking);
  note(blocking, 'a');
  EXPECT_EQ(fakecuda::order_after(other, blocking), cudaSuccess);
  note(other, 'b');
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(log_, "ab");
}

TEST_F(FakeStream, OrderAfterHoldsOneStreamUp) {
  const cudaStream_t first = make(cudaStreamNonBlocking);
  const cudaStream_t second = make(cudaStreamNonBlocking);
  Gate gate(first);
  note(first, 'a');
  ASSERT_EQ(fakecuda::order_after(second, first), cudaSuccess);
  note(second, 'b');
  EXPECT_EQ(cudaStreamQuery(second), cudaErrorNotReady);
  gate.open();
  EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess);
  EXPECT_EQ(log_, "ab");
}

TEST_F(FakeStream, FreeWaitsForQueuedWork) {
  const cudaStream_t stream = make(cudaStreamNonBlocking);
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  note(stream, 'a');
  ASSERT_EQ(cudaMemsetAsync(memory, 0, 64, stream), cudaSuccess);
  note(stream, 'b');
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(log_, "ab");
}

TEST_F(FakeStream, CallsTheHostInOrder) {
  const cudaStream_t stream = make(cudaStreamDefault);
  note(stream, 'a');
  const auto append = [](void* log) { *static_cast<std::string*>(log) += 'b'; };
  ASSERT_EQ(cudaLaunchHostFunc(stream, append, &log_), cudaSuccess);
  note(stream, 'c');
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(log_, "abc");
  EXPECT_EQ(cudaLaunchHostFunc(stream, nullptr, &log_), cudaErrorInvalidValue);
}

TEST_F(FakeStream, KeepsFunctionsOfTheHostFromCuda) {
  const cudaStream_t stream = make(cudaStreamDefault);
  cudaError_t error = cudaSuccess;
  const auto call = [](void* result) {
    *static_cast<cudaError_t*>(result) = cudaStreamSynchronize(nullptr);
  };
  ASSERT_EQ(cudaLaunchHostFunc(stream, call, &error), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(error, cudaErrorNotPermitted);
  int later = -1;
  const auto run_by_the_same_worker = [&later](fakecuda::ItemTime&) { cudaGetDevice(&later); };
  ASSERT_EQ(fakecuda::enqueue(stream, run_by_the_same_worker), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(later, 0);
}

TEST_F(FakeStream, RunsWhatIsQueuedWhenDestroyed) {
  cudaStream_t stream = nullptr;
  cudaEvent_t end = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  {
    const Gate gate(stream);
    note(stream, 'a');
    ASSERT_EQ(cudaEventRecord(end, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  }
  EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
  EXPECT_EQ(log_, "a");
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(fakecuda::enqueue(stream, [](fakecuda::ItemTime&) {}), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(end), cudaSuccess);
}

TEST_F(FakeStream, KeepsWhatItWasMadeWith) {
  int least = 0;
  int greatest = 0;
  ASSERT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  EXPECT_LT(greatest, least);
  ASSERT_EQ(cudaSetDevice(2), cudaSuccess);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 10),
            cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  int priority = 0;
  unsigned int flags = 0;
  int device = 0;
  EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
  EXPECT_EQ(priority, greatest);
  EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaSuccess);
  EXPECT_EQ(flags, cudaStreamNonBlocking);
  EXPECT_EQ(cudaStreamGetDevice(stream, &device), cudaSuccess);
  EXPECT_EQ(device, 2);
  EXPECT_EQ(fakecuda::device_of(stream), 2);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(FakeQuery, WaitsAWhileBeforeItSaysNotReady) {
  expect_in_child({{"FAKE_CUDA_QUERY_WAIT_US", "60000000"}}, [] {
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
    const auto expect_success = [&](const auto& query) {
      Gate gate(stream);
      ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
      // Long enough for the query to begin: a test that could fail, not one that might.
      std::thread later([&gate] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        gate.open();
      });
      EXPECT_EQ(query(), cudaSuccess);
      later.join();
    };
    expect_success([&] { return cudaStreamQuery(stream); });
    expect_success([&] { return cudaEventQuery(event); });
  });
}

TEST(FakeInline, TheCallerRunsItems) {
  expect_in_child({{"FAKE_CUDA_INLINE", "1"}}, [] {
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    std::thread::id ran_by;
    ASSERT_EQ(fakecuda::enqueue(stream,
                                [&](fakecuda::ItemTime&) { ran_by = std::this_thread::get_id(); }),
              cudaSuccess);
    EXPECT_EQ(ran_by, std::this_thread::get_id());
    EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  });
}

}  // namespace
