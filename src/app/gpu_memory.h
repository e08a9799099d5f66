// SPDX-License-Identifier: Apache-2.0
// GpuMemory: what a run takes of the memory of a rank's GPU, by what it was taken for.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "comm/control_plane.h"
#include "comm/device.h"
#include "results/document.h"

namespace collbench {

/// One per rank, of ranks that go through the same steps. Looks at what is free, so that whatever
/// else uses the GPU meanwhile is counted as well.
class GpuMemory {
 public:
  explicit GpuMemory(const Device& device) : device_(device), free_bytes_(free_bytes()) {}

  void communicators_are_made() { use_.communicators_bytes = taken(); }
  void buffers_are_made() { use_.buffers_bytes = taken(); }

  /// After the last operation: the most of any rank, for each purpose. Collective over the run.
  GpuMemoryUse of_the_run(ControlPlane& control);

 private:
  Bytes free_bytes() const { return device_.free_bytes().value_or(0); }

  /// Since the last look.
  Bytes taken();

  const Device& device_;
  Bytes free_bytes_;
  GpuMemoryUse use_;
};

}  // namespace collbench
