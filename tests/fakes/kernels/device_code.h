// SPDX-License-Identifier: Apache-2.0
// Lets g++ compile CUDA device code for the host. Include it before the code.
//
// Kernels run one thread after the other, so they must not wait for each other: no __syncthreads,
// no shuffles, no shared memory. Arguments are pointers, numbers, and structs without pointers.
#pragma once

#include <chrono>

#include "kernel_body.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)

inline thread_local fakecuda::Dimensions threadIdx;
inline thread_local fakecuda::Dimensions blockIdx;
inline thread_local fakecuda::Dimensions blockDim;
inline thread_local fakecuda::Dimensions gridDim;

namespace fakecuda {

/// The clock of the simulated thread that runs. Under virtual time it moves on by a microsecond
/// with each read but the first, so that a loop which waits for it ends, and by what passes on
/// purpose.
struct ThreadClock {
  bool virtual_time = false;
  bool read = false;
  unsigned long long start_ns = 0;
  unsigned long long last_ns = 0;
};

inline thread_local ThreadClock thread_clock;

inline unsigned long long steady_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<unsigned long long>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace fakecuda

/// What the GPU's global timer says; on a GPU it is the register %globaltimer.
inline unsigned long long globaltimer_ns() {
  auto& clock = fakecuda::thread_clock;
  if (!clock.virtual_time) clock.last_ns = fakecuda::steady_ns();
  if (clock.virtual_time && clock.read) clock.last_ns += 1000;
  if (!clock.read) clock.start_ns = clock.last_ns;
  clock.read = true;
  return clock.last_ns;
}

/// Keeps the thread busy for so long: exactly, under virtual time.
inline void pass_time(unsigned long long duration_ns) {
  auto& clock = fakecuda::thread_clock;
  const unsigned long long end_ns = globaltimer_ns() + duration_ns;
  if (clock.virtual_time) {
    clock.last_ns = end_ns;
  } else {
    while (globaltimer_ns() < end_ns) {
    }
  }
}

/// Cycles of a clock of 1 GHz.
inline long long clock64() { return static_cast<long long>(globaltimer_ns()); }

// Blocks of several streams run at the same time, so these are atomic between host threads.

template <typename T>
T atomicAdd(T* address, T value) {
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}

template <typename T>
T atomicMin(T* address, T value) {
  T found = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (value < found && !__atomic_compare_exchange_n(address, &found, value, false,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return found;
}
