// SPDX-License-Identifier: Apache-2.0
// RankTeam: the rank threads of a process share its control plane.
//
// A process with T rank threads is T ranks of the run. An operation starts when the last of them
// has arrived; that thread makes the one call between processes, for all of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "comm/control_plane.h"

namespace collbench {

class RankTeam {
 public:
  /// Rank of thread t in process p: p * threads + t. Collective over the processes; throws
  /// SystemError unless all give the same number of threads, which must be at least 1.
  /// `processes` must outlive the team, and is used by nothing else meanwhile.
  RankTeam(ControlPlane& processes, int threads);
  ~RankTeam();

  RankTeam(const RankTeam&) = delete;
  RankTeam& operator=(const RankTeam&) = delete;

  /// The control plane of a thread, for this thread only. What fails in the call between processes
  /// is thrown on all threads of the process.
  ControlPlane& control_plane(int thread);

 private:
  class Member;

  enum class Operation : std::uint8_t { barrier, all_gather, broadcast };

  // What a thread brings to an operation.
  struct Part {
    Operation operation = Operation::barrier;
    Bytes bytes = 0;
    const void* in = nullptr;
    void* out = nullptr;
  };

  // Returns when the operation is done for all threads.
  void join(int thread, const Part& part);

  void run_for_all();
  void check_same_operation() const;
  void run_all_gather();
  void run_broadcast();

  ControlPlane& processes_;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<Part> parts_;  // by thread
  std::exception_ptr failure_;
  std::atomic<int> arrived_{0};
  std::atomic<std::uint64_t> operations_done_{0};
};

}  // namespace collbench
