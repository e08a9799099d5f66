// SPDX-License-Identifier: Apache-2.0
// For the tests: ranks as processes, each with an environment of its own, started without MPI.
#pragma once

#include <nccl.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rank_threads.h"

namespace fakenccl::test {

/// Which rank a process is.
struct Place {
  int rank;
  int ranks;
  ncclUniqueId id;
};

/// What such a process runs: named, as it is this test binary once more. Its status is 1 after a
/// failed expectation, else what it returns.
using RankProgram = std::function<int(const Place&)>;
std::map<std::string, RankProgram>& rank_programs();

struct RegisterRankProgram {
  RegisterRankProgram(const char* name, RankProgram program) {
    rank_programs()[name] = std::move(program);
  }
};

#define RANK_PROGRAM(name)                                                       \
  static int name(const fakenccl::test::Place& place);                           \
  static const fakenccl::test::RegisterRankProgram register_##name(#name, name); \
  static int name([[maybe_unused]] const fakenccl::test::Place& place)

/// How a process ended: its status, or 128 and its signal.
struct Ended {
  int status;
  std::string output;
};

using Variables = std::map<std::string, std::string>;

/// Runs the program on all ranks, and waits for them: at most 30 s, then they are killed.
std::vector<Ended> run_ranks(const std::string& program, int ranks,
                             const Variables& environment = {});

/// The communicator and stream of a rank that is a process.
Rank join(const Place& place);
void leave(const Rank& rank);

}  // namespace fakenccl::test
