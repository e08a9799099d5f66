// SPDX-License-Identifier: Apache-2.0
// Faults that FAKE_NCCL_FAULTS asks for: "op[#nth][@rank]=action[:argument];...".
//
//   op      a name of kinds.h (AllReduce, CommInitRank, ...), or any
//   nth     which call of it on that rank, from 1; * (usual): each
//   rank    the rank in the communicator that CommInit made (splits inherit it); * (usual): each
//   action  delay:MS    the operation starts later on this rank (in virtual time when that is on)
//           corrupt     one byte of what the rank receives (else of what it sends) is wrong
//           async:CODE  the operation does not happen here, and this becomes the asynchronous error
//           hang        never ends until the communicator is aborted
//           exit[:STATUS]  the process ends by _exit (status 1)
//           kill        the process ends by SIGKILL
//           err:CODE    the call returns this code and does nothing
#pragma once

#include <string>
#include <vector>

#include "kinds.h"

namespace fakenccl {

class Communicator;

enum class Action { none, delay, corrupt, async, hang, exit, kill, err };

struct Fault {
  Action action = Action::none;
  double argument = 0;
};

struct FaultRule {
  bool any_kind;
  Kind kind;
  int nth;   // 0: each
  int rank;  // -1: each
  Fault fault;
};

/// The rules of a text; what is no rule ends the process with one sentence, status 2.
std::vector<FaultRule> parse_faults(const std::string& text);

/// The fault that the environment asks for at this call, the next one of its kind on that rank.
Fault next_fault(Kind kind, int origin_rank);

/// Does what does not depend on data: delays (by time_s, when that is virtual), hangs, ends the
/// process. False: broken, or the operation is not to happen.
bool strike(Communicator& comm, const Fault& fault, double& time_s);

/// The wrong byte of `corrupt`.
void corrupt(std::byte* data);

}  // namespace fakenccl
