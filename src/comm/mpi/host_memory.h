// SPDX-License-Identifier: Apache-2.0
// HostMemory: pages of this rank, real from the start.
#pragma once

#include "comm/device.h"

namespace collbench {

class HostMemory final : public Memory {
 public:
  /// Touches every page, so that all are there, and on the memory next to the core that runs this.
  /// Throws SystemError when the host does not have so much.
  explicit HostMemory(Bytes bytes);
  ~HostMemory() override;
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  std::byte* data() override { return data_; }
  Bytes bytes() const override { return bytes_; }

 private:
  Bytes bytes_;
  std::byte* data_;
};

}  // namespace collbench
