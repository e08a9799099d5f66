// SPDX-License-Identifier: Apache-2.0
// MpiControlPlane: the ranks of an MPI communicator agree, without spinning while they wait.
#pragma once

#include <mpi.h>

#include "comm/control_plane.h"

namespace collbench {

/// Of one process. Its calls must not overlap with other MPI calls of the process
/// (MPI_THREAD_SERIALIZED).
class MpiControlPlane final : public ControlPlane {
 public:
  /// Works on a duplicate of `parent`; collective over it. The duplicate stays until MPI_Finalize:
  /// freeing it is collective, and a rank that ends after an error must not wait for the others.
  explicit MpiControlPlane(MPI_Comm parent);

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void barrier() override;
  void all_gather_bytes(const void* mine, Bytes each, void* all) override;
  void broadcast_bytes(void* data, Bytes bytes) override;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace collbench
