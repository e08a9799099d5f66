// SPDX-License-Identifier: Apache-2.0
// Reductions that MPI lacks, those of Half, BFloat16, Float8E4M3 and Float8E5M2, and two that MPI
// libraries have got wrong, the larger and the smaller of unsigned integers.
//
// Results are rounded once, as a unit that works in the type would do it. The arrays of one call do
// not overlap.
#pragma once

#include "base/bytes.h"
#include "base/float16.h"
#include "base/float8.h"

namespace collbench {

/// inout[i] = in[i] + inout[i]
template <class Float>
void add(const Float* in, Float* inout, Count count);

/// inout[i] = in[i] * inout[i]
template <class Float>
void multiply(const Float* in, Float* inout, Count count);

/// inout[i] = the larger of in[i] and inout[i]. Of floats, -0 is less than 0, and a NaN is beyond
/// the infinity of its sign. For std::uint8_t, uint32_t and uint64_t, too.
template <class Number>
void keep_larger(const Number* in, Number* inout, Count count);

/// The smaller, in the same order.
template <class Number>
void keep_smaller(const Number* in, Number* inout, Count count);

}  // namespace collbench
