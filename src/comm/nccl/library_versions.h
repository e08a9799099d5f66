// SPDX-License-Identifier: Apache-2.0
// Versions of CUDA and NCCL, as numbers of theirs and as people write them.
#pragma once

#include <string>

namespace collbench {

/// The oldest NCCL that the plugin works with: its aborts from other threads are sound from there
/// on.
inline constexpr int kLeastNccl = 21900;

/// From here on NCCL reduces numbers of 8 bits.
inline constexpr int kNcclWithFloat8 = 22400;

/// From here on it makes windows of registered memory.
inline constexpr int kNcclWithWindows = 22700;

/// From here on it has calls for alltoall, gather and scatter.
inline constexpr int kNcclWithAlltoAll = 22800;

/// "2.28.9" of 22809, as ncclGetVersion gives it.
std::string nccl_version_text(int version);

/// "13.0" of 13000, as cudaRuntimeGetVersion and cudaDriverGetVersion give it.
std::string cuda_version_text(int version);

}  // namespace collbench
