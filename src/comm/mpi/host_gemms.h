// SPDX-License-Identifier: Apache-2.0
// Products of matrices on the rank's own core, in slices beside communication.
#pragma once

#include <memory>
#include <span>

#include "base/clock.h"
#include "comm/device.h"

namespace collbench {

/// By OpenBLAS, in single precision. Finds out by the clock how much of a product is a slice.
/// Throws SystemError.
std::unique_ptr<Gemms> make_host_gemms(std::span<const GemmShape> shapes, Device& device,
                                       Clock& clock);

}  // namespace collbench
