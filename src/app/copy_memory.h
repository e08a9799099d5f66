// SPDX-License-Identifier: Apache-2.0
// CopyMemory: what a rank copies from and to, and the check of a copy's data.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "comm/control_plane.h"
#include "comm/device.h"
#include "measure/data_check.h"

namespace collbench {

/// A copy of a rank: between two memories, each as large as the largest size.
struct CopyWay {
  std::byte* to;
  const std::byte* from;
  std::function<void(void* to, const void* from, Bytes bytes)> copy;
};

class CopyMemory {
 public:
  /// Room for copies of `largest` bytes, with so many more of a device's memory that others will
  /// take. Throws UserError, the same on every rank, when some rank has not the memory. Collective.
  CopyMemory(ControlPlane& control, Device& device, Bytes largest, std::uint64_t others);

  Bytes largest() const { return largest_; }

  /// From device memory, and to other device memory, or to the host's. On hosts all is one kind.
  std::byte* source() { return source_->data(); }
  std::byte* target() { return target_->data(); }
  std::byte* of_host(MemoryKind kind) {
    return (kind == MemoryKind::pinned ? pinned_ : pageable_)->data();
  }

  /// Copies once, on every rank, and looks at each byte that must have arrived. `seed` must differ
  /// between checks of the same memory. Collective.
  CheckOutcome check(const CopyWay& way, Bytes bytes, Stream& stream, std::uint64_t seed);

 private:
  ControlPlane& control_;
  Device& device_;
  Bytes largest_;
  std::unique_ptr<Memory> source_, target_, scratch_;
  std::unique_ptr<Memory> pinned_, pageable_;  // of a device with memory of its own
};

}  // namespace collbench
