// SPDX-License-Identifier: Apache-2.0
// What the environment says about the fake NCCL, read once per process.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "faults.h"

namespace fakenccl {

struct Settings {
  int version;              // FAKE_NCCL_VERSION (NCCL_VERSION_CODE): what ncclGetVersion says
  double latency_s;         // FAKE_NCCL_LATENCY_US (10): virtual time of an operation without bytes
  double bytes_per_s;       // FAKE_NCCL_GBps (100): virtual time of an operation's bytes
  std::size_t eager_bytes;  // FAKE_NCCL_EAGER (0): messages up to this size wait for no receiver
  bool inline_items;        // FAKE_CUDA_INLINE=1: the caller runs what it enqueues
  bool several_ranks_per_gpu;  // NCCL_MULTI_RANK_GPU_ENABLE=1, as from NCCL 2.30.3 on
  bool silent_death;  // FAKE_NCCL_SILENT_DEATH=1: as on one real node, nobody reports a dead peer
  bool has_windows;   // FAKE_NCCL_WINDOWS=0: as on GPUs that cannot have symmetric windows
  std::vector<FaultRule> faults;          // FAKE_NCCL_FAULTS
  std::optional<std::string> log_folder;  // FAKE_NCCL_LOG
  std::string host;  // NCCL_HOSTID, else the host's name: GPUs of one host must differ
};

/// A value that is no value of its variable ends the process: one sentence, status 2.
const Settings& settings();

}  // namespace fakenccl
