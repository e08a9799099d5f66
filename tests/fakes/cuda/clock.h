// SPDX-License-Identifier: Apache-2.0
// Host clocks: the machine's steady one, or a virtual one per thread.
#pragma once

#include "fake_cuda.h"

namespace fakecuda {

double steady_now_s();

/// What a call costs the host: FAKE_CUDA_CALL_US of virtual time, nothing under the real clock.
void host_spend_call();

}  // namespace fakecuda
