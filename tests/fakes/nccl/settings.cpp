// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <nccl.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>

#include "../environment.h"

namespace fakenccl {
namespace {

std::string host_name() {
  const char* const id = std::getenv("NCCL_HOSTID");
  if (id && *id) return id;
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

Settings read() {
  constexpr double kMost = 1e9;
  constexpr auto kMostBytes = std::numeric_limits<std::size_t>::max();
  Settings s;
  s.version = fakes::number("FAKE_NCCL_VERSION", NCCL_VERSION_CODE, 1, 999'999);
  s.latency_s = fakes::number("FAKE_NCCL_LATENCY_US", 10.0, 0.0, kMost) * 1e-6;
  s.bytes_per_s = fakes::number("FAKE_NCCL_GBps", 100.0, 1e-6, kMost) * 1e9;
  s.eager_bytes = fakes::number<std::size_t>("FAKE_NCCL_EAGER", 0, 0, kMostBytes);
  s.inline_items = fakes::flag("FAKE_CUDA_INLINE");
  s.several_ranks_per_gpu = fakes::flag("NCCL_MULTI_RANK_GPU_ENABLE");
  s.silent_death = fakes::flag("FAKE_NCCL_SILENT_DEATH");
  s.has_windows = fakes::number("FAKE_NCCL_WINDOWS", 1, 0, 1) == 1;
  const char* const faults = fakes::find("FAKE_NCCL_FAULTS");
  if (faults) s.faults = parse_faults(faults);
  if (const char* const folder = fakes::find("FAKE_NCCL_LOG")) s.log_folder = folder;
  s.host = host_name();
  fakes::refuse_others("FAKE_NCCL_");
  return s;
}

}  // namespace

const Settings& settings() {
  static const Settings* const once = new Settings(read());  // outlives workers that outlive main
  return *once;
}

}  // namespace fakenccl
