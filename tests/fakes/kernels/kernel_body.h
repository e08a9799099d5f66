// SPDX-License-Identifier: Apache-2.0
// What the fake CUDA runtime and the library of kernel bodies agree on.
#pragma once

#include <cstddef>
#include <functional>

namespace fakecuda {

struct Dimensions {
  unsigned x;
  unsigned y;
  unsigned z;
};

struct Launch {
  Dimensions grid;   // blocks
  Dimensions block;  // threads of one
  bool virtual_time;
};

/// A kernel with the arguments of one launch; may run several times. Returns for how long the
/// thread that read its clock longest was busy, in seconds; 0 when none read it.
using Body = std::function<double(const Launch&)>;

/// Where a kernel finds what a pointer among its arguments points to; null when it may not.
using Resolve = const void* (*)(const void* pointer);

struct KernelRow {
  const char* name;  // mangled, as nvcc registers it

  /// Copies the arguments, which are the caller's. Empty when a pointer was refused.
  Body (*bind)(void* const* arguments, Resolve resolve);
};

}  // namespace fakecuda

/// The kernels of the library, and how many.
extern "C" const fakecuda::KernelRow* fake_kernels(std::size_t* count);
