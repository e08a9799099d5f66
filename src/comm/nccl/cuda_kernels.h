// SPDX-License-Identifier: Apache-2.0
// CudaKernels: patterns and busy time on a GPU.
#pragma once

#include <memory>

#include "comm/device.h"
#include "comm/nccl/check_log.h"
#include "comm/nccl/rank_comms.h"

namespace collbench {

/// Data lies in memory of the device, or is pinned. Kernels of `busy` occupy one multiprocessor.
class CudaKernels final : public Kernels {
 public:
  CudaKernels(std::shared_ptr<RankComms> comms, bool check_on_host);

  void fill(void* data, Count count, const Pattern& pattern, Count first, Stream& stream) override;
  void zero(void* data, Bytes bytes, Stream& stream) override;
  void copy(void* to, const void* from, Bytes bytes, Stream& stream) override;
  CheckResult check(const void* data, Count count, const Pattern& pattern, Count first,
                    Stream& stream) override;
  void check_later(const void* data, Count count, const Pattern& pattern, Count first,
                   Stream& stream) override;
  std::vector<CheckResult> later_checks() override { return later_checks_.take(); }
  void busy(double seconds, Stream& stream) override;

 private:
  CheckResult check_on_device(const void* data, Count count, const Pattern& pattern, Count first,
                              Stream& stream);
  CheckResult check_on_host(const void* data, Count count, const Pattern& pattern, Count first,
                            Stream& stream);
  void copy_to_host(const void* data, Bytes bytes, Stream& stream);
  std::byte* slice();

  std::shared_ptr<RankComms> comms_;
  bool check_on_host_;
  CheckLog check_;
  CheckLog later_checks_;
  std::unique_ptr<Memory> slice_;  // pinned: what a check has copied to the host
};

}  // namespace collbench
