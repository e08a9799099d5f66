// SPDX-License-Identifier: Apache-2.0
#include "app/gpu_memory.h"

#include <utility>

namespace collbench {

Bytes GpuMemory::taken() {
  const Bytes now = free_bytes();
  const Bytes before = std::exchange(free_bytes_, now);
  return before > now ? before - now : 0;
}

GpuMemoryUse GpuMemory::of_the_run(ControlPlane& control) {
  use_.operations_bytes = taken();
  return {.communicators_bytes = control.max(use_.communicators_bytes),
          .buffers_bytes = control.max(use_.buffers_bytes),
          .operations_bytes = control.max(use_.operations_bytes)};
}

}  // namespace collbench
