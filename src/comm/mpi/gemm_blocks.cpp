// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/gemm_blocks.h"

#include <algorithm>
#include <cmath>

namespace collbench {
namespace {

constexpr double kSlice_s = 75e-6;
// Found by trying: the best of those that last so long, on a core of 130 Gflop/s.
constexpr GemmShape kFast{256, 192, 96};
constexpr Count kLeast_k = 32;
constexpr Count kMost_k = 256;
constexpr Count kStep_k = 16;

Count parts(Count whole, Count part) { return (whole + part - 1) / part; }

Count part_at(Count whole, Count part, Count from) { return std::min(part, whole - from); }

}  // namespace

GemmShape gemm_block(double flop_per_s) {
  const double multiplications = flop_per_s * kSlice_s / 2;
  GemmShape block = kFast;
  const auto depth = [&] { return multiplications / static_cast<double>(block.m * block.n); };
  while (depth() < kLeast_k && block.n > kStep_k) {
    block.m /= 2;
    block.n /= 2;
  }
  const double steps = std::round(depth() / kStep_k);
  block.k = static_cast<Count>(std::clamp<double>(steps * kStep_k, kLeast_k, kMost_k));
  return block;
}

GemmBlocks::GemmBlocks(const GemmShape& whole, const GemmShape& block)
    : whole_(whole),
      block_(block),
      along_m_(parts(whole.m, block.m)),
      along_n_(parts(whole.n, block.n)),
      along_k_(parts(whole.k, block.k)) {}

GemmBlock GemmBlocks::at(Count index) const {
  const Count column = index / along_k_;
  const GemmShape from{column / along_n_ * block_.m, column % along_n_ * block_.n,
                       index % along_k_ * block_.k};
  return {from,
          {part_at(whole_.m, block_.m, from.m), part_at(whole_.n, block_.n, from.n),
           part_at(whole_.k, block_.k, from.k)}};
}

}  // namespace collbench
