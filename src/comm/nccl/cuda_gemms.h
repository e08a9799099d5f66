// SPDX-License-Identifier: Apache-2.0
// Products of matrices on a GPU.
#pragma once

#include <memory>
#include <span>

#include "comm/device.h"
#include "comm/nccl/rank_comms.h"

namespace collbench {

/// By cuBLAS: numbers of type bfloat16, added up in single precision, as models are trained. Each
/// shape is multiplied once, since CUDA loads a kernel when it is first used, and might wait for
/// the device to be idle. Throws SystemError.
std::unique_ptr<Gemms> make_cuda_gemms(std::span<const GemmShape> shapes, Device& device,
                                       const std::shared_ptr<RankComms>& comms);

}  // namespace collbench
