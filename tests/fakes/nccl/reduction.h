// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nccl.h>

#include <cstddef>
#include <span>

#include "communicator.h"

namespace fakenccl {

/// What a rank brings to a reduction over `ranks` ranks: its inputs, times the scalar of a created
/// reduction, which each rank has its own of. As NCCL does, the average of floating types
/// multiplies by 1/ranks (rounded to the type) here, before anything is added. `out` may be `in`.
void contribute(const Reduction& reduction, ncclDataType_t type, int ranks, const std::byte* in,
                std::size_t count, std::byte* out);

/// out[i] = inputs[0][i] op inputs[1][i] op ..., in rank order. Every step is rounded to the type,
/// as adding in the type itself does: sums of small whole numbers are exact in all types. Integers
/// wrap around, and their average divides at the end. `out` may be one of the inputs.
void reduce(const Reduction& reduction, ncclDataType_t type,
            std::span<const std::byte* const> inputs, std::size_t count, std::byte* out);

}  // namespace fakenccl
