// SPDX-License-Identifier: Apache-2.0
// MpiSession: MPI from its start to its end in this process.
#pragma once

#include <memory>
#include <string>

#include "comm/control_plane.h"

namespace collbench {

/// One object per process, on the thread that starts it. What uses MPI (backends, communicators)
/// must be destroyed before finalize(). Destroying the session ends nothing, since after an error a
/// rank that tried to finalize would wait for the others for ever: finalize() or abort() comes
/// before the end of the process.
class MpiSession {
 public:
  /// Starts MPI for threads that take turns. Collective over the run; hangs when a rank is missing,
  /// so that a watchdog should run. Throws SystemError.
  MpiSession();

  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// Of this process among all of the run.
  int rank() const { return control_->rank(); }
  int size() const { return control_->size(); }

  /// Of this process among those that share memory with it: its host.
  int local_rank() const { return local_rank_; }
  int local_size() const { return local_size_; }

  /// Of the processes, not of rank threads: see RankTeam. Not to be used after finalize().
  ControlPlane& control_plane() { return *control_; }

  /// "MPICH 4.0.2", "Open MPI 4.1.4".
  const std::string& mpi_library() const { return mpi_library_; }

  /// Waits for all ranks, then ends MPI; the process may then return its status. Collective over
  /// the run. On several hosts ranks leave one after the other, which takes up to 3 s.
  void finalize();

  /// Ends this process and, where MPI runs, all others of the run, with this status. From any
  /// thread, at any time. Buffered output that has not been flushed may be lost.
  [[noreturn]] static void abort(int status) noexcept;

 private:
  std::unique_ptr<ControlPlane> control_;
  // A rank that comes to finalize() alone must not be taken for one that takes part in what the
  // others do on `control_`.
  std::unique_ptr<ControlPlane> farewell_;
  int local_rank_ = 0;
  int local_size_ = 1;
  std::string mpi_library_;
};

}  // namespace collbench
