// SPDX-License-Identifier: Apache-2.0
// Computation: what a replayed operation that computes does on its stream.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_rows.h"
#include "comm/device.h"
#include "plan/plan.h"

namespace collbench::replay {

enum class Compute : std::uint8_t { gemm, busy, none };

struct ComputeRow {
  Compute compute;
  std::string_view name;  // what the user types after --compute
  std::string_view what;
};

inline constexpr std::array<ComputeRow, 3> kComputes = {{
    {Compute::gemm, "gemm", "products of matrices of the model's shapes"},
    {Compute::busy, "busy", "the device is kept busy for as long as --tflops says"},
    {Compute::none, "none", "nothing is computed"},
}};
static_assert(in_enum_order(kComputes, &ComputeRow::compute));

constexpr std::string_view name_of(Compute compute) {
  return kComputes[static_cast<std::size_t>(compute)].name;
}

/// Used by its rank's thread only.
class Computation {
 public:
  virtual ~Computation() = default;

  /// What operation `index` of the rank's list, which is `op`, computes; returns at once.
  virtual void enqueue(plan::OpIndex index, const plan::Op& op, Stream& stream) = 0;

  /// "OpenBLAS 0.3.21"; empty where no library computes.
  virtual std::string library() const { return {}; }
};

/// Bytes of memory that it takes, of numbers of `element` bytes.
Bytes computation_bytes(Compute compute, const plan::RankClass& ranks, Bytes element);

/// For the operations of one rank. `flops`: floating-point operations per second of a busy device.
/// Throws SystemError where the library of `gemm` cannot be had.
std::unique_ptr<Computation> make_computation(Compute compute, Device& device,
                                              const plan::RankClass& ranks, double flops);

}  // namespace collbench::replay
