// SPDX-License-Identifier: Apache-2.0
// Arithmetic that MPI lacks: sums and maxima of 16-bit floats, and the division of an average.
#pragma once

#include "base/bytes.h"
#include "base/data_type.h"
#include "base/float16.h"

namespace collbench {

/// inout[i] = in[i] + inout[i], rounded once. The arrays do not overlap.
void add(const Half* in, Half* inout, Count count);
void add(const BFloat16* in, BFloat16* inout, Count count);

/// inout[i] = the larger of in[i] and inout[i]. -0 is less than 0; a NaN is beyond the infinity of
/// its sign. The arrays do not overlap.
void keep_larger(const Half* in, Half* inout, Count count);
void keep_larger(const BFloat16* in, BFloat16* inout, Count count);

/// Divides every element: floating types give the correctly rounded quotient, int32 the truncated
/// one. Requires 0 < divisor <= 2048 for the rounding of half, which goes by way of float.
void divide(void* data, Count count, DataType type, int divisor);

}  // namespace collbench
