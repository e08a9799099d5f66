// SPDX-License-Identifier: Apache-2.0
// Gemms: products of matrices, which are what the compute of a training step is.
#pragma once

#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/data_type.h"
#include "comm/pattern.h"
#include "comm/stream.h"

namespace collbench {

/// C (m x n) = A (m x k) B (k x n), of numbers nobody looks at.
struct GemmShape {
  Count m = 0;
  Count n = 0;
  Count k = 0;
};

/// What is known of a device's products before any is made.
struct GemmFacts {
  DataType type = DataType::float32;
  double slow_flops = 5e9;  // floating-point operations per second of a slow one: a host's core
};

/// Products of matrices in memory of its own, on any stream of the device. Used by its rank's
/// thread only.
class Gemms {
 public:
  virtual ~Gemms() = default;

  /// Enqueues one. Throws std::logic_error for a shape that it was not made for.
  virtual void multiply(const GemmShape& shape, Stream& stream) = 0;

  /// "OpenBLAS 0.3.21", "cuBLAS 13.0"
  virtual std::string_view library() const = 0;
};

/// The elements of the largest of each of three matrices.
struct GemmOperands {
  Count a = 0;
  Count b = 0;
  Count c = 0;
};

/// What holds the operands of each shape. Throws SystemError where a dimension is past the 32 bits
/// of BLAS.
GemmOperands operands_for(std::span<const GemmShape> shapes);

/// Whether a product of this shape fits.
bool fits(const GemmShape& shape, const GemmOperands& operands);

/// Numbers in -1 to 1 as random as those of a model: a GPU that multiplies equal numbers draws less
/// power, and is faster than it would be.
Pattern operand_pattern(DataType type);

}  // namespace collbench
