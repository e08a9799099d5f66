// SPDX-License-Identifier: Apache-2.0
// How a run ends: the exit statuses and the exceptions that lead to them.
//
// Header-only, so that an exception may cross the boundary of a plugin.
#pragma once

#include <stdexcept>
#include <string>

namespace collbench {

/// The exit status of every program of the suite; docs/exit-status.md explains each to users.
enum class ExitStatus : int {
  ok = 0,
  verdict_failed = 1,
  user_error = 2,
  system_error = 3,
  wrong_data = 4,
  deadline = 5,
  inconclusive = 6,
  interrupted = 130,  // SIGINT
  terminated = 143,   // SIGTERM
};

/// Something the user can mend: says what, why and what to do, in one sentence.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A call into MPI, CUDA, NCCL or the operating system failed: says the call and the code's name.
struct SystemError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One that every rank throws at the same point, from what they all know, so that none waits for
/// another: the run then ends as after a UserError, in order.
struct CommonSystemError : SystemError {
  using SystemError::SystemError;
};

}  // namespace collbench
