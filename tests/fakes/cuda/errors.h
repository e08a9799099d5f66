// SPDX-License-Identifier: Apache-2.0
// The last error of a thread, and the frame that every function of the runtime's interface has.
#pragma once

#include <cuda_runtime_api.h>

#include "settings.h"

namespace fakecuda {

/// Keeps a failure as the thread's last error, and returns it.
cudaError_t report(cudaError_t error);

/// Whether this thread is inside a function of cudaLaunchHostFunc, which may not call CUDA.
bool& in_host_function();

/// Runs the body of an interface function that needs a device.
template <typename Body>
cudaError_t api(const Body& body) {
  if (settings().no_device) return report(*settings().no_device);
  if (in_host_function()) return report(cudaErrorNotPermitted);
  return report(body());
}

}  // namespace fakecuda
