// SPDX-License-Identifier: Apache-2.0
// GemmBlocks: a product of matrices in parts, each a slice of compute that communication gets its
// turn after.
#pragma once

#include "comm/gemms.h"

namespace collbench {

/// The size of a part that lasts about 75 us on a core of this rate. Flat rather than a cube, since
/// BLAS rearranges both operands of each.
GemmShape gemm_block(double flop_per_s);

/// Where a part begins in each dimension, and how far it goes.
struct GemmBlock {
  GemmShape from;
  GemmShape size;
};

class GemmBlocks {
 public:
  GemmBlocks(const GemmShape& whole, const GemmShape& block);

  Count count() const { return along_m_ * along_n_ * along_k_; }

  /// In order; those that add to the same part of C one after the other.
  GemmBlock at(Count index) const;

 private:
  GemmShape whole_;
  GemmShape block_;
  Count along_m_;
  Count along_n_;
  Count along_k_;
};

}  // namespace collbench
