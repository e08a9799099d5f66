// SPDX-License-Identifier: Apache-2.0
// Buckets: how gradients are packed into messages, in the order in which they become ready.
#pragma once

#include <vector>

#include "plan/held.h"

namespace collbench::plan {

/// Tensors that are reduced as one message.
struct Bucket {
  TensorRange tensors;  // of Held::tensors: the backward pass fills a bucket from its end
  Count elements = 0;   // padding included
};

/// When a bucket is full.
struct BucketRule {
  /// By size after adding a tensor: the bucket closes once it has as much. 0: never.
  Count close_at = 0;
  /// Likewise, of the first bucket. 0: as the others.
  Count first_close_at = 0;
  /// By size before adding a tensor: the bucket closes if it would have more. 0: never.
  Count most = 0;
  Count align_tensor = 1;  // where a tensor starts
  Count align_bucket = 1;  // where a bucket ends
};

/// The tensors of `range` from last to first. All sizes are in elements.
std::vector<Bucket> fill_buckets(const Held& held, TensorRange range, const BucketRule& rule);

}  // namespace collbench::plan
