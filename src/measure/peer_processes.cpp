// SPDX-License-Identifier: Apache-2.0
#include "measure/peer_processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "comm/launcher_facts.h"

namespace collbench {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 64;  // of a family tree: ends the walk if /proc changes under it

// Files of /proc have no size: read to the end. Empty when it cannot be read.
std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The value of a variable in what /proc/PID/environ holds: "NAME=value", a NUL after each.
const char* find_variable(const std::string& environment, std::string_view name) {
  for (std::size_t at = 0; at < environment.size();) {
    const char* entry = environment.c_str() + at;
    const std::string_view text(entry);
    if (text.size() > name.size() && text.starts_with(name) && text[name.size()] == '=') {
      return entry + name.size() + 1;
    }
    at += text.size() + 1;
  }
  return nullptr;
}

struct Process {
  std::string command;
  char state = '?';
  pid_t parent = 0;
};

// /proc/PID/stat: "12 (name, may hold anything) S 11 ..."
std::optional<Process> parse_stat(const std::string& stat) {
  const std::size_t open = stat.find('(');
  const std::size_t close = stat.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close + 4 >= stat.size()) {
    return std::nullopt;
  }
  Process process;
  process.command = stat.substr(open + 1, close - open - 1);
  process.state = stat[close + 2];
  std::from_chars(stat.data() + close + 4, stat.data() + stat.size(), process.parent);
  return process;
}

class ProcessTree {
 public:
  explicit ProcessTree(const PeerSearch& search) : search_(search) {
    std::error_code error;
    for (fs::directory_iterator entry(search.proc, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename();
      pid_t pid = 0;
      const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
      if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) continue;
      if (auto process = parse_stat(read_file(entry->path() / "stat"))) processes_[pid] = *process;
    }
  }

  const std::map<pid_t, Process>& all() const { return processes_; }

  // What the launcher gave a process; no launcher when there was none, or it may not be read.
  LauncherFacts launch_of(pid_t pid) const {
    const std::string environment = read_file(folder(pid) / "environ");
    return launcher_facts([&](const char* name) { return find_variable(environment, name); });
  }

  // Nothing when the process is no rank of this launcher. It may be one of another: in a Slurm job
  // srun starts mpirun's proxies, which have ranks in its step.
  std::optional<int> rank_of(pid_t pid, std::string_view launcher) const {
    const LauncherFacts facts = launch_of(pid);
    if (facts.launcher != launcher) return std::nullopt;
    return facts.rank;
  }

  // The first ancestor that is no rank itself: wrapper scripts inherit the rank's environment.
  pid_t launcher_of(pid_t pid, std::string_view launcher) const {
    for (int depth = 0; depth < kMaxDepth; ++depth) {
      const auto process = processes_.find(pid);
      if (process == processes_.end()) return 0;
      pid = process->second.parent;
      if (!rank_of(pid, launcher)) return pid;
    }
    return 0;
  }

  // Generations between a process and its ancestor; nothing when it is none.
  std::optional<int> generations(pid_t pid, pid_t ancestor) const {
    for (int depth = 0; depth < kMaxDepth; ++depth) {
      if (pid == ancestor) return depth;
      const auto process = processes_.find(pid);
      if (process == processes_.end()) return std::nullopt;
      pid = process->second.parent;
    }
    return std::nullopt;
  }

  // Empty when it may not be read.
  std::string program(pid_t pid) const {
    std::error_code error;
    return fs::read_symlink(folder(pid) / "exe", error).string();
  }

  std::string blocked_signals(pid_t pid) const {
    const std::string status = read_file(folder(pid) / "status");
    const std::size_t line = status.find("SigBlk:\t");
    if (line == std::string::npos) return "";
    const std::size_t start = line + 8;
    return status.substr(start, status.find('\n', start) - start);
  }

 private:
  fs::path folder(pid_t pid) const { return fs::path(search_.proc) / std::to_string(pid); }

  const PeerSearch& search_;
  std::map<pid_t, Process> processes_;
};

}  // namespace

bool PeerProcess::blocks_signal(int signal) const {
  std::uint64_t mask = 0;
  std::from_chars(blocked_signals.data(), blocked_signals.data() + blocked_signals.size(), mask,
                  16);
  return signal >= 1 && signal <= 64 && ((mask >> (signal - 1)) & 1U) != 0;
}

std::vector<PeerProcess> find_peers(const PeerSearch& search) {
  const ProcessTree tree(search);
  const std::string_view kind = tree.launch_of(search.self).launcher;
  if (kind.empty()) return {};
  const pid_t launcher = tree.launcher_of(search.self, kind);
  const std::string program = tree.program(search.self);
  struct Candidate {
    PeerProcess peer;
    int generation;
  };
  std::map<int, Candidate> best;
  for (const auto& [pid, process] : tree.all()) {
    const auto generation = tree.generations(pid, launcher);
    if (!generation || *generation == 0) continue;
    const auto rank = tree.rank_of(pid, kind);
    if (!rank) continue;
    const bool same = pid == search.self || (!program.empty() && tree.program(pid) == program);
    const Candidate found{{*rank, pid, process.state, same, process.command, ""}, *generation};
    const auto [place, is_new] = best.try_emplace(*rank, found);
    const auto merit = [](const Candidate& c) {
      return std::pair(c.peer.runs_program, -c.generation);
    };
    if (!is_new && merit(found) > merit(place->second)) place->second = found;
  }
  std::vector<PeerProcess> peers;
  for (auto& [rank, candidate] : best) {
    candidate.peer.blocked_signals = tree.blocked_signals(candidate.peer.pid);
    peers.push_back(std::move(candidate.peer));
  }
  return peers;
}

std::string describe_missing(const std::vector<PeerProcess>& peers) {
  std::string text;
  for (const PeerProcess& peer : peers) {
    std::string fault;
    if (peer.stopped()) {
      fault = "is stopped";
    } else if (!peer.runs_program) {
      fault = fmt::format("has not started the program (it runs {})", peer.command);
    } else {
      continue;
    }
    text +=
        fmt::format("{}rank {} (pid {}) {}", text.empty() ? "" : ", ", peer.rank, peer.pid, fault);
  }
  return text;
}

}  // namespace collbench
