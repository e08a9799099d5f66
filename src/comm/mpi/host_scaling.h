// SPDX-License-Identifier: Apache-2.0
// What averages and scaled sums do beside the sum: every element divided, or multiplied, by one
// small integer.
#pragma once

#include "base/bytes.h"
#include "base/data_type.h"

namespace collbench {

/// Divides every element: floating types give the correctly rounded quotient, integers the one
/// truncated towards zero. Requires 0 < divisor <= 2^24, so that every type of float holds it.
void divide(void* data, Count count, DataType type, int divisor);

/// to[i] = from[i] * factor: floating types are rounded once, integers wrap around. The arrays are
/// the same or do not overlap. Requires 0 < factor <= 16.
void scale(const void* from, void* to, Count count, DataType type, int factor);

}  // namespace collbench
