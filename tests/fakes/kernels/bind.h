// SPDX-License-Identifier: Apache-2.0
// From a kernel compiled for the host to the row that a launch by name finds.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "device_code.h"
#include "kernel_body.h"

namespace fakecuda {

/// Calls `each` once for every index below the dimensions, x fastest.
template <typename Each>
void for_all(const Dimensions& below, const Each& each) {
  for (unsigned z = 0; z < below.z; ++z) {
    for (unsigned y = 0; y < below.y; ++y) {
      for (unsigned x = 0; x < below.x; ++x) each(Dimensions{x, y, z});
    }
  }
}

/// Runs one call per thread of the launch; the result is a Body's.
template <typename Call>
double run_grid(const Launch& launch, const Call& call) {
  unsigned long long longest_ns = 0;
  gridDim = launch.grid;
  blockDim = launch.block;
  for_all(launch.grid, [&](const Dimensions& block) {
    blockIdx = block;
    for_all(launch.block, [&](const Dimensions& thread) {
      threadIdx = thread;
      thread_clock = {launch.virtual_time, false, 0, 0};
      call();
      longest_ns = std::max(longest_ns, thread_clock.last_ns - thread_clock.start_ns);
    });
  });
  return static_cast<double>(longest_ns) * 1e-9;
}

/// One argument of a launch: a copy, and of a pointer the one that the host may use. Sets `refused`
/// where there is none.
template <typename Argument>
Argument bound(const void* stored, Resolve resolve, bool& refused) {
  Argument argument = *static_cast<const Argument*>(stored);
  if constexpr (std::is_pointer_v<Argument>) {
    if (argument == nullptr) return argument;
    const void* const usable = resolve(argument);
    refused = refused || usable == nullptr;
    argument = static_cast<Argument>(const_cast<void*>(usable));
  }
  return argument;
}

template <auto kKernel, typename... Arguments, std::size_t... kPlaces>
Body bind_arguments(void* const* stored, Resolve resolve, void (*)(Arguments...),
                    std::index_sequence<kPlaces...>) {
  bool refused = false;
  std::tuple<Arguments...> arguments(bound<Arguments>(stored[kPlaces], resolve, refused)...);
  if (refused) return nullptr;
  return [arguments](const Launch& launch) {
    return run_grid(launch, [&] { std::apply(kKernel, arguments); });
  };
}

template <typename... Arguments>
constexpr std::size_t argument_count(void (*)(Arguments...)) {
  return sizeof...(Arguments);
}

template <auto kKernel>
Body bind(void* const* stored, Resolve resolve) {
  constexpr std::size_t kCount = argument_count(kKernel);
  return bind_arguments<kKernel>(stored, resolve, kKernel, std::make_index_sequence<kCount>());
}

/// The row of a kernel, whose mangled name is the same on the host. It must not be static.
template <auto kKernel>
KernelRow row() {
  Dl_info found{};
  dladdr(reinterpret_cast<const void*>(kKernel), &found);
  return {found.dli_sname, bind<kKernel>};
}

}  // namespace fakecuda
