// SPDX-License-Identifier: Apache-2.0
// The ranks of this run that live on this host, as /proc shows them: also ranks that are stopped,
// or have not begun to run the program, and so can say nothing about themselves.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace collbench {

/// A rank of this run on this host.
struct PeerProcess {
  int rank = 0;
  pid_t pid = 0;
  char state = '?';             // as /proc/PID/stat has it: R, S, D, T (stopped), t (traced)
  bool runs_program = false;    // false: still the launcher's wrapper, or another program
  std::string command;          // its name for people: "sleep"
  std::string blocked_signals;  // hexadecimal mask, as /proc/PID/status has it

  bool stopped() const { return state == 'T' || state == 't'; }
  /// True when a signal with this number would be kept for its watchdog, not kill it.
  bool blocks_signal(int signal) const;
};

/// Where to look. Tests give a folder of their own.
struct PeerSearch {
  std::string proc = "/proc";
  pid_t self = 0;
};

/// The ranks that the launcher of process `self` has started on this host, `self` included, sorted
/// by rank, one process each. Processes that cannot be read are left out. Empty when `self` has no
/// rank.
///
/// A rank may have several processes (a wrapper script and what it started): the one that runs the
/// same program as `self` counts, else the one that the launcher started.
std::vector<PeerProcess> find_peers(const PeerSearch& search);

/// "rank 2 (pid 123) is stopped, rank 3 (pid 124) has not started the program (runs sleep)"; empty
/// when every peer runs.
std::string describe_missing(const std::vector<PeerProcess>& peers);

}  // namespace collbench
