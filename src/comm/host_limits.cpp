// SPDX-License-Identifier: Apache-2.0
#include "comm/host_limits.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "base/host.h"

namespace collbench {
namespace {

using std::filesystem::path;

std::optional<std::int64_t> read_number(const path& file) {
  std::ifstream in(file);
  std::int64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;  // no such file, or "max"
}

// The number behind a word at the start of a line, as in "inactive_file 4096".
std::optional<std::int64_t> read_field(const path& file, std::string_view name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    std::int64_t number = 0;
    if (words >> word && word == name && words >> number) return number;
  }
  return std::nullopt;
}

// The folders of the process's groups under this controller, each with all its ancestors. Folders
// of another name space are missing; the topmost, which always exists, then stands for them.
std::vector<path> group_folders(const path& root, std::string_view controller) {
  std::vector<path> folders;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:cpu,cpuacct:/a/b"; version 2: "0::/a"
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    path base = root / "sys/fs/cgroup";
    if (controllers != ",,") {
      if (controllers.find(fmt::format(",{},", controller)) == std::string::npos) continue;
      base /= controller;
    }
    for (path group = path(line.substr(second + 1)).relative_path();; group = group.parent_path()) {
      folders.push_back(base / group);
      if (group.empty()) break;
    }
  }
  return folders;
}

// File pages that nobody uses count as used, but the kernel gives them back when memory is short.
std::optional<std::int64_t> memory_left(const path& group) {
  const auto v2 = read_number(group / "memory.max");
  const auto limit = v2 ? v2 : read_number(group / "memory.limit_in_bytes");
  const auto used = read_number(group / (v2 ? "memory.current" : "memory.usage_in_bytes"));
  if (!limit || !used) return std::nullopt;
  const auto idle = read_field(group / "memory.stat", v2 ? "inactive_file" : "total_inactive_file");
  return std::max<std::int64_t>(0, *limit - *used + idle.value_or(0));
}

std::optional<double> core_quota(const path& group) {
  std::ifstream v2(group / "cpu.max");  // "200000 100000"
  double quota_us = 0;
  double period_us = 0;
  if (v2 >> quota_us >> period_us) return quota_us / period_us;
  const auto quota = read_number(group / "cpu.cfs_quota_us");
  const auto period = read_number(group / "cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

}  // namespace

Bytes available_memory(const path& root) {
  const auto kib = read_field(root / "proc/meminfo", "MemAvailable:");
  if (!kib) throw SystemError("/proc/meminfo does not say how much memory is available");
  std::int64_t available = *kib * 1024;
  for (const path& group : group_folders(root, "memory")) {
    available = std::min(available, memory_left(group).value_or(available));
  }
  return static_cast<Bytes>(available);
}

double granted_cores(const path& root) {
  double cores = std::numeric_limits<double>::infinity();
  for (const path& group : group_folders(root, "cpu")) {
    cores = std::min(cores, core_quota(group).value_or(cores));
  }
  return cores;
}

std::string machine_id(const path& root) {
  std::string id;
  if (std::ifstream(root / "proc/sys/kernel/random/boot_id") >> id) return id;
  return host_name();
}

CoreMask allowed_cores() {
  CoreMask mask{};
  if (sched_getaffinity(0, sizeof mask, reinterpret_cast<cpu_set_t*>(mask.data())) != 0) {
    throw SystemError("sched_getaffinity failed: the cores of this process are unknown");
  }
  return mask;
}

std::string format_cores(const CoreMask& cores) {
  constexpr std::size_t kEnd = sizeof(CoreMask) * 8;
  const auto has = [&](std::size_t core) {
    return core < kEnd && (cores[core / 64] >> (core % 64) & 1) != 0;
  };
  std::vector<std::string> ranges;
  for (std::size_t first = 0; first < kEnd; ++first) {
    if (!has(first)) continue;
    std::size_t last = first;
    while (has(last + 1)) ++last;
    ranges.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
    first = last;
  }
  return fmt::format("{}", fmt::join(ranges, ","));
}

bool each_has_a_core(std::span<const CoreMask> processes) {
  constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> owner(sizeof(CoreMask) * 8, kNobody);
  std::vector<bool> tried;
  // Takes a core for the process, moving owners to other cores where that helps.
  const std::function<bool(std::size_t)> place = [&](std::size_t process) {
    for (std::size_t core = 0; core < owner.size(); ++core) {
      if ((processes[process][core / 64] >> (core % 64) & 1) == 0 || tried[core]) continue;
      tried[core] = true;
      if (owner[core] == kNobody || place(owner[core])) {
        owner[core] = process;
        return true;
      }
    }
    return false;
  };
  for (std::size_t process = 0; process < processes.size(); ++process) {
    tried.assign(owner.size(), false);
    if (!place(process)) return false;
  }
  return true;
}

}  // namespace collbench
