// SPDX-License-Identifier: Apache-2.0
#include "bind.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

namespace fakecuda {
namespace {

struct Pair {
  int a;
  int b;
};

__global__ void record_index(unsigned* counts, unsigned width, unsigned height) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  ++counts[(z * height + y) * width + x];
}

__global__ void store(int* to, Pair pair, const int* offset) {
  *to = pair.a * 10 + pair.b + *offset;
}

__global__ void reduce(unsigned long long* sum, unsigned long long* least) {
  const unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(sum, i);
  atomicMin(least, 100 - i);
}

__global__ void wait_for(unsigned long long duration_ns) {
  const unsigned long long start = globaltimer_ns();
  while (globaltimer_ns() - start < duration_ns * (threadIdx.x + 1)) {
  }
}

const void* itself(const void* pointer) { return pointer; }
const void* refuse_all(const void*) { return nullptr; }

template <auto kKernel, typename... Arguments>
Body bound_to(Resolve resolve, Arguments... arguments) {
  const std::array<void*, sizeof...(Arguments)> stored = {&arguments...};
  return bind<kKernel>(stored.data(), resolve);
}

TEST(FakeKernel, RunsOncePerThreadOfTheGrid) {
  std::vector<unsigned> counts(6 * 4 * 10, 0);
  const Body body = bound_to<&record_index>(itself, counts.data(), 6U, 4U);
  EXPECT_EQ(body({{3, 2, 5}, {2, 2, 2}, false}), 0);
  for (const unsigned count : counts) EXPECT_EQ(count, 1U);
}

TEST(FakeKernel, CopiesItsArgumentsWhenBound) {
  int result = 0;
  const int offset = 1000;
  int* to = &result;
  Pair pair{4, 2};
  const int* from = &offset;
  const std::array<void*, 3> stored = {&to, &pair, &from};
  const Body body = bind<&store>(stored.data(), itself);
  pair = {0, 0};
  to = nullptr;
  body({{1, 1, 1}, {1, 1, 1}, false});
  EXPECT_EQ(result, 1042);
}

TEST(FakeKernel, ResolvesEveryPointer) {
  static std::array<int, 2> elsewhere = {0, 7};
  const Resolve moved = [](const void* pointer) -> const void* {
    return pointer == reinterpret_cast<const void*>(0x10) ? &elsewhere[0] : &elsewhere[1];
  };
  const Body body = bound_to<&store>(moved, reinterpret_cast<int*>(0x10), Pair{1, 1},
                                     reinterpret_cast<const int*>(0x20));
  body({{1, 1, 1}, {1, 1, 1}, false});
  EXPECT_EQ(elsewhere[0], 18);
  EXPECT_FALSE(bound_to<&store>(refuse_all, &elsewhere[0], Pair{1, 1}, (const int*)nullptr));
}

TEST(FakeKernel, LeavesNullAlone) {
  int* const null = nullptr;
  EXPECT_TRUE(bound_to<&store>(refuse_all, null, Pair{}, static_cast<const int*>(nullptr)));
}

TEST(FakeKernel, AddsAndFindsTheLeastAtomically) {
  unsigned long long sum = 0;
  unsigned long long least = ~0ULL;
  const Body body = bound_to<&reduce>(itself, &sum, &least);
  std::thread other([&body] { body({{4, 1, 1}, {8, 1, 1}, false}); });
  body({{4, 1, 1}, {8, 1, 1}, false});
  other.join();
  EXPECT_EQ(sum, 2U * (31 * 32 / 2));
  EXPECT_EQ(least, 100U - 31);
  EXPECT_EQ(atomicMin(&least, 80ULL), 69U);
  EXPECT_EQ(least, 69U);
}

TEST(FakeKernel, IsBusyForAsLongAsItsSlowestThread) {
  const Body body = bound_to<&wait_for>(itself, 5000ULL);
  EXPECT_EQ(body({{2, 1, 1}, {3, 1, 1}, true}), 15e-6);
}

}  // namespace
}  // namespace fakecuda
