// SPDX-License-Identifier: Apache-2.0
// Step: what one optimizer step of one pipeline works on, and in which types it is sent.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/data_type.h"

namespace collbench::model {

/// What the backward pass computes again instead of keeping it.
enum class Recompute : std::uint8_t {
  none,
  selective,  // the attention's products, as flash attention does by itself
  full,       // each layer, from its input
};

struct Step {
  Count micro_batch = 1;          // b, sequences
  int micro_batches = 1;          // M, per pipeline and optimizer step
  Count sequence = 0;             // s, tokens, before context parallelism splits it
  bool sequence_parallel = true;  // norms and dropout split over TP too (Megatron's SP)
  Recompute recompute = Recompute::none;
  DataType activations = DataType::bfloat16;
  DataType parameters = DataType::bfloat16;  // as gathered
  DataType gradients = DataType::float32;    // as reduced between data-parallel ranks

  bool operator==(const Step&) const = default;
};

}  // namespace collbench::model
