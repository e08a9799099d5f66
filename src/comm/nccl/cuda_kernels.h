// SPDX-License-Identifier: Apache-2.0
// CudaKernels: patterns and busy time on a GPU.
#pragma once

#include <memory>

#include "comm/device.h"
#include "comm/nccl/kernels.h"
#include "comm/nccl/rank_comms.h"

namespace collbench {

/// Data lies in memory of the device, or is pinned. Kernels of `busy` occupy one multiprocessor.
class CudaKernels final : public Kernels {
 public:
  CudaKernels(std::shared_ptr<RankComms> comms, bool check_on_host)
      : comms_(std::move(comms)), check_on_host_(check_on_host) {}

  void fill(void* data, Count count, const Pattern& pattern, Count first, Stream& stream) override;
  void zero(void* data, Bytes bytes, Stream& stream) override;
  CheckResult check(const void* data, Count count, const Pattern& pattern, Count first,
                    Stream& stream) override;
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
  std::unique_ptr<Memory> mismatches_;  // of the device
  std::unique_ptr<Memory> slice_;       // pinned: what a check has copied to the host
};

}  // namespace collbench
