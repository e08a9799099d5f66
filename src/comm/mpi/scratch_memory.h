// SPDX-License-Identifier: Apache-2.0
// ScratchMemory: memory that an operation needs while it runs, kept for the next one.
#pragma once

#include <cstddef>
#include <memory>

#include "base/bytes.h"

namespace collbench {

/// Used by its rank's thread only; outlives what it lends.
class ScratchMemory {
 public:
  struct Return {
    ScratchMemory* owner = nullptr;
    Bytes bytes = 0;
    void operator()(std::byte* data) const noexcept { owner->keep_larger(data, bytes); }
  };
  /// Comes back when it is destroyed.
  using Lease = std::unique_ptr<std::byte[], Return>;

  /// At least so many bytes, aligned for every element. Throws SystemError when there are none.
  Lease lend(Bytes bytes);

 private:
  void keep_larger(std::byte* data, Bytes bytes) noexcept;

  std::unique_ptr<std::byte[]> kept_;  // the largest that came back
  Bytes kept_bytes_ = 0;
};

}  // namespace collbench
