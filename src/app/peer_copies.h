// SPDX-License-Identifier: Apache-2.0
// PeerCopies: the way from a rank's GPU to that of another rank of its host.
#pragma once

#include <memory>
#include <string>

#include "app/copy_memory.h"
#include "results/document.h"

namespace collbench {

/// How many ranks every host has; 0 where they have different numbers.
int ranks_of_each_host(const Environment& environment);

/// Every rank's, to the rank that is `shift` after it on its host. One at a time.
class PeerCopies {
 public:
  /// Each host has more ranks than `shift`. Collective.
  PeerCopies(ControlPlane& control, Device& device, const Environment& environment, int shift);

  /// Why some rank cannot copy, or cannot with access, as a clause; empty when all can. The same on
  /// every rank.
  const std::string& why_not() const { return why_not_; }
  const std::string& why_no_access() const { return why_no_access_; }

  /// Memory on the other GPU. Requires why_not() to be empty. Throws SystemError.
  void allocate(Bytes bytes);

  /// From this memory of the rank, on this stream.
  CopyWay way(const std::byte* from, Stream& stream);

  /// For all ranks of the run, with nothing under way. Requires why_no_access() to be empty.
  /// Collective.
  void set_access(bool enabled);

 private:
  std::string first_reason(const std::string& mine);
  std::string own_reason(const Environment& environment, int peer) const;

  ControlPlane& control_;
  std::unique_ptr<PeerDevice> device_;
  std::unique_ptr<Memory> memory_;
  std::string why_not_, why_no_access_;
};

}  // namespace collbench
