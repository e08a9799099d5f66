// SPDX-License-Identifier: Apache-2.0
// The signals that end a run: SIGINT, SIGTERM, SIGHUP and SIGQUIT, and the notice by which a rank
// asks rank 0 of its own host to end the run for it.
//
// A notice is a queued real-time signal: it works while the rank's thread hangs in MPI, before
// MPI_Init and without any connection. Its value carries rank, status and the number of a memory
// file of the sender, which holds the message and which the receiver reads through /proc.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/errors.h"

namespace collbench {

/// What a rank tells rank 0.
struct EndNotice {
  int rank = 0;
  ExitStatus status = ExitStatus::ok;
  std::string message;  // a whole sentence; empty when it could not be read
};

/// A signal that was taken.
struct EndSignal {
  int number = 0;
  std::optional<EndNotice> notice;  // present when `number` is notice_signal()
};

/// SIGRTMIN: unlike SIGUSR1 and SIGUSR2, no launcher or batch system sends it.
int notice_signal();

/// Blocks these signals in the calling thread, and so in every thread that it starts from now
/// on; they stay pending until taken. Call it first in main. SIGHUP and SIGQUIT stay out of it
/// where whoever started the process has it ignore them, as nohup does: while blocked they would be
/// taken all the same.
void block_end_signals();

/// Waits up to `timeout_s` for one of them. A notice that is malformed or not from sigqueue is
/// dropped. They must be blocked in all threads.
std::optional<EndSignal> take_end_signal(double timeout_s);

/// Queues the notice; false when the system refuses. The receiver must block notice_signal(), or
/// dies of it. The message stays readable as long as the calling process lives.
bool send_notice(pid_t receiver, const EndNotice& notice);

}  // namespace collbench
