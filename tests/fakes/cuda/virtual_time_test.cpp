// SPDX-License-Identifier: Apache-2.0
// Every number here follows from the model: an item starts when its stream is free and the host
// has enqueued it, and takes what it says.
#include <gtest/gtest.h>

#include <thread>

#include "comm/nccl/kernels.h"
#include "fake_cuda.h"
#include "in_child.h"

namespace {

constexpr double kUs = 1e-6;

cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  return stream;
}

void enqueue_lasting(cudaStream_t stream, double duration_s) {
  ASSERT_EQ(fakecuda::enqueue(stream,
                              [duration_s](fakecuda::ItemTime& time) { time.end_s += duration_s; }),
            cudaSuccess);
}

cudaEvent_t record(cudaStream_t stream) {
  cudaEvent_t event = nullptr;
  EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  return event;
}

float elapsed_ms(cudaEvent_t from, cudaEvent_t to) {
  float ms = -1;
  EXPECT_EQ(cudaEventSynchronize(to), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, from, to), cudaSuccess);
  return ms;
}

void expect_host_at_us(double us) { EXPECT_DOUBLE_EQ(collbench_clock_now_s(), us * kUs); }

void expect_virtual(const std::function<void()>& body) {
  expect_in_child({{"FAKE_CUDA_VTIME", "1"}}, body);
}

TEST(FakeVirtualTime, EventsMeasureWhatItemsTake) {
  expect_virtual([] {
    const cudaStream_t stream = make_stream();
    const cudaEvent_t start = record(stream);
    enqueue_lasting(stream, 20.48576 * kUs);
    const cudaEvent_t middle = record(stream);
    enqueue_lasting(stream, 10 * kUs);
    const cudaEvent_t end = record(stream);
    EXPECT_FLOAT_EQ(elapsed_ms(start, middle), 0.02048576F);
    EXPECT_FLOAT_EQ(elapsed_ms(start, end), 0.03048576F);
  });
}

TEST(FakeVirtualTime, TheHostSeesTimeWhenItWaits) {
  expect_virtual([] {
    const cudaStream_t stream = make_stream();
    expect_host_at_us(0);
    enqueue_lasting(stream, 5 * kUs);
    const cudaEvent_t event = record(stream);
    enqueue_lasting(stream, 7 * kUs);
    expect_host_at_us(0);
    ASSERT_EQ(cudaEventSynchronize(event), cudaSuccess);
    expect_host_at_us(5);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    expect_host_at_us(12);
    ASSERT_EQ(cudaEventSynchronize(event), cudaSuccess);
    expect_host_at_us(12);
    enqueue_lasting(stream, 1 * kUs);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    expect_host_at_us(13);
  });
}

TEST(FakeVirtualTime, AQueryThatFindsItDoneTellsTheHost) {
  expect_virtual([] {
    const cudaStream_t stream = make_stream();
    enqueue_lasting(stream, 5 * kUs);
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {
    }
    expect_host_at_us(5);
    enqueue_lasting(stream, 5 * kUs);
    const cudaEvent_t event = record(stream);
    while (cudaEventQuery(event) == cudaErrorNotReady) {
    }
    expect_host_at_us(10);
  });
}

TEST(FakeVirtualTime, AnItemStartsNoEarlierThanItIsEnqueued) {
  expect_virtual([] {
    const cudaStream_t stream = make_stream();
    enqueue_lasting(stream, 5 * kUs);
    fakecuda::host_advance_to_s(100 * kUs);
    enqueue_lasting(stream, 5 * kUs);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    expect_host_at_us(105);
    fakecuda::host_advance_to_s(50 * kUs);
    expect_host_at_us(105);
  });
}

TEST(FakeVirtualTime, StreamsRunBesideEachOtherUntilOrdered) {
  expect_virtual([] {
    const cudaStream_t one = make_stream();
    const cudaStream_t two = make_stream();
    enqueue_lasting(one, 30 * kUs);
    enqueue_lasting(two, 10 * kUs);
    const cudaEvent_t alone = record(two);
    ASSERT_EQ(fakecuda::order_after(two, one), cudaSuccess);
    enqueue_lasting(two, 1 * kUs);
    ASSERT_EQ(cudaEventSynchronize(alone), cudaSuccess);
    expect_host_at_us(10);
    ASSERT_EQ(cudaStreamSynchronize(two), cudaSuccess);
    expect_host_at_us(31);
  });
}

TEST(FakeVirtualTime, TheNullStreamComesAfterBlockingStreamsThatAreDone) {
  expect_virtual([] {
    cudaStream_t blocking = nullptr;
    ASSERT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
    enqueue_lasting(blocking, 30 * kUs);
    // Another thread waits, so that this one's clock stays at 0.
    std::thread([blocking] { EXPECT_EQ(cudaStreamSynchronize(blocking), cudaSuccess); }).join();
    enqueue_lasting(nullptr, 2 * kUs);
    expect_host_at_us(0);
    ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    expect_host_at_us(32);
  });
}

TEST(FakeVirtualTime, EveryThreadHasItsClock) {
  expect_virtual([] {
    fakecuda::host_advance_to_s(9 * kUs);
    std::thread([] { expect_host_at_us(0); }).join();
    expect_host_at_us(9);
  });
}

TEST(FakeVirtualTime, BranchesOfAGraphRunBesideEachOther) {
  expect_virtual([] {
    const cudaStream_t stream = make_stream();
    const cudaStream_t branch = make_stream();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    enqueue_lasting(stream, 1 * kUs);
    ASSERT_EQ(fakecuda::order_after(branch, stream), cudaSuccess);
    enqueue_lasting(stream, 10 * kUs);
    enqueue_lasting(branch, 20 * kUs);
    ASSERT_EQ(fakecuda::order_after(stream, branch), cudaSuccess);
    enqueue_lasting(stream, 2 * kUs);
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    for (int replay = 1; replay <= 3; ++replay) {
      ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
      ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      expect_host_at_us(23 * replay);
    }
  });
}

TEST(FakeVirtualTime, CallsThatEnqueueTakeTheHostTime) {
  expect_in_child({{"FAKE_CUDA_VTIME", "1"}, {"FAKE_CUDA_CALL_US", "2.5"}}, [] {
    const cudaStream_t stream = make_stream();
    enqueue_lasting(stream, 1 * kUs);                                        // 2.5 to 3.5
    enqueue_lasting(stream, 4 * kUs);                                        // 5 to 9
    ASSERT_EQ(cudaStreamWaitEvent(stream, record(stream), 0), cudaSuccess);  // two calls
    expect_host_at_us(10);
    enqueue_lasting(stream, 1 * kUs);  // 12.5 to 13.5
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    expect_host_at_us(13.5);
  });
}

TEST(FakeVirtualTime, KernelsTakeTheirTimeAndWhatTheyAskFor) {
  expect_in_child({{"FAKE_CUDA_VTIME", "1"}, {"FAKE_CUDA_KERNEL_US", "3"}}, [] {
    const cudaStream_t stream = make_stream();
    ASSERT_EQ(collbench::gpu::busy(0, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    expect_host_at_us(3);
    ASSERT_EQ(collbench::gpu::busy(50'123, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    expect_host_at_us(56.123);
  });
}

TEST(FakeVirtualTime, BusyKernelsOfTwoStreamsRunAtTheSameTime) {
  expect_virtual([] {
    const cudaStream_t longer = make_stream();
    const cudaStream_t shorter = make_stream();
    ASSERT_EQ(collbench::gpu::busy(70'500, longer), cudaSuccess);
    for (int i = 0; i < 2; ++i) ASSERT_EQ(collbench::gpu::busy(20'250, shorter), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(shorter), cudaSuccess);
    expect_host_at_us(40.5);
    ASSERT_EQ(cudaStreamSynchronize(longer), cudaSuccess);
    expect_host_at_us(70.5);
  });
}

TEST(FakeVirtualTime, CopiesTakeNone) {
  expect_virtual([] {
    void* device = nullptr;
    int value = 0;
    ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
    ASSERT_EQ(cudaMemset(device, 1, 4), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(&value, device, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(value, 0x01010101);
    expect_host_at_us(0);
  });
}

TEST(FakeRealTime, IsTheSteadyClockWhateverItemsSay) {
  const double before_s = fakecuda::host_now_s();
  const cudaStream_t stream = make_stream();
  enqueue_lasting(stream, 1000);
  fakecuda::host_advance_to_s(before_s + 1000);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_GE(fakecuda::host_now_s(), before_s);
  EXPECT_LT(fakecuda::host_now_s(), before_s + 1000);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
