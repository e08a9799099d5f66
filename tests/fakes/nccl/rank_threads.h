// SPDX-License-Identifier: Apache-2.0
// For the tests: ranks as threads of this process, and device buffers that are filled and read by
// value.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <nccl.h>

#include <functional>
#include <thread>
#include <vector>

#define EXPECT_NCCL(call) EXPECT_EQ(call, ncclSuccess) << ncclGetLastError(nullptr)
#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

namespace fakenccl::test {

inline ncclUniqueId new_id() {
  ncclUniqueId id;
  EXPECT_NCCL(ncclGetUniqueId(&id));
  return id;
}

inline ncclConfig_t non_blocking() {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  return config;
}

/// What a rank of a test has: its place, a communicator of all ranks, and a stream on its GPU.
struct Rank {
  int rank;
  int ranks;
  ncclComm_t comm;
  cudaStream_t stream;

  void synchronize() const { EXPECT_CUDA(cudaStreamSynchronize(stream)); }
};

/// Runs body(rank) in `ranks` threads, and destroys what they were given (an aborted communicator
/// is set to nullptr by the body).
inline void with_ranks(int ranks, const std::function<void(Rank&)>& body) {
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      Rank self{rank, ranks, nullptr, nullptr};
      EXPECT_CUDA(cudaSetDevice(rank));
      EXPECT_CUDA(cudaStreamCreateWithFlags(&self.stream, cudaStreamNonBlocking));
      EXPECT_NCCL(ncclCommInitRank(&self.comm, ranks, id, rank));
      body(self);
      EXPECT_NCCL(ncclCommDestroy(self.comm));
      EXPECT_CUDA(cudaStreamDestroy(self.stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Device memory of `count` values.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t count, T value = T{}) : count_(count) {
    EXPECT_CUDA(cudaMalloc(&data_, std::max<std::size_t>(1, bytes())));
    write(std::vector<T>(count, value));
  }
  explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) { write(values); }
  ~Buffer() { EXPECT_CUDA(cudaFree(data_)); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* at(std::size_t i = 0) { return static_cast<T*>(data_) + i; }
  void write(const std::vector<T>& values) {
    EXPECT_CUDA(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  std::vector<T> read() {
    std::vector<T> values(count_);
    EXPECT_CUDA(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t bytes() const { return count_ * sizeof(T); }

  void* data_ = nullptr;
  std::size_t count_;
};

/// Polls until the communicator's state is not in progress.
inline ncclResult_t settled(ncclComm_t comm) {
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_NCCL(ncclCommGetAsyncError(comm, &state));
  }
  return state;
}

/// Polls until the communicator has an asynchronous error.
inline ncclResult_t async_error(ncclComm_t comm) {
  ncclResult_t state = ncclSuccess;
  while (state == ncclSuccess) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_NCCL(ncclCommGetAsyncError(comm, &state));
  }
  return state;
}

}  // namespace fakenccl::test
