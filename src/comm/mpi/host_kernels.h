// SPDX-License-Identifier: Apache-2.0
// HostKernels: patterns and busy time on the rank's own core, in slices beside communication.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "comm/device.h"

namespace collbench {

class HostKernels final : public Kernels {
 public:
  /// The clock outlives it.
  explicit HostKernels(Clock& clock) : clock_(clock) {}

  void fill(void* data, Count count, const Pattern& pattern, Count first, Stream& stream) override;
  void zero(void* data, Bytes bytes, Stream& stream) override;
  void copy(void* to, const void* from, Bytes bytes, Stream& stream) override;
  CheckResult check(const void* data, Count count, const Pattern& pattern, Count first,
                    Stream& stream) override;
  void check_later(const void* data, Count count, const Pattern& pattern, Count first,
                   Stream& stream) override;
  std::vector<CheckResult> later_checks() override;

  /// The core's time: two streams that are busy take turns and need the sum.
  void busy(double seconds, Stream& stream) override;

 private:
  struct LaterCheck {
    CheckResult found;
    Count unchecked;
  };

  Clock& clock_;
  std::vector<std::shared_ptr<LaterCheck>> later_checks_;
};

}  // namespace collbench
