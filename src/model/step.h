// SPDX-License-Identifier: Apache-2.0
// Step: what one optimizer step of one pipeline works on, and in which types it is sent.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "base/data_type.h"
#include "base/enum_rows.h"

namespace collbench::model {

/// What the backward pass computes again instead of keeping it.
enum class Recompute : std::uint8_t {
  none,
  selective,  // the attention's products, as flash attention does by itself
  full,       // each layer, from its input
};

struct RecomputeRow {
  Recompute recompute;
  std::string_view name;
};

inline constexpr std::array<RecomputeRow, 3> kRecomputes = {{
    {Recompute::none, "none"},
    {Recompute::selective, "selective"},
    {Recompute::full, "full"},
}};
static_assert(in_enum_order(kRecomputes, &RecomputeRow::recompute));

constexpr std::string_view name_of(Recompute recompute) {
  return kRecomputes[static_cast<std::size_t>(recompute)].name;
}

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
