// SPDX-License-Identifier: Apache-2.0
#include "tools/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>

#include "base/errors.h"

namespace collbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kGrace_s = 10;  // between SIGTERM and SIGKILL

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// But what is ignored, as by nohup: once blocked it would be queued, and end what it must not.
sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    if (!is_ignored(signal)) sigaddset(&set, signal);
  }
  return set;
}

void require(int error, const char* call) {
  if (error != 0) throw SystemError(fmt::format("{}: {}", call, std::strerror(error)));
}

/// What a child starts with, freed at the end.
class SpawnSetup {
 public:
  explicit SpawnSetup(const std::string& output) {
    require(posix_spawnattr_init(&attributes), "posix_spawnattr_init");
    require(posix_spawn_file_actions_init(&files), "posix_spawn_file_actions_init");
    sigset_t none, ignored;
    sigemptyset(&none);
    sigemptyset(&ignored);
    for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&ignored, signal);  // by this program
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &ignored);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t files;
};

pid_t start(const std::vector<std::string>& command, const std::string& output) {
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const SpawnSetup setup(output);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, argv[0], &setup.files, &setup.attributes, argv.data(), environ);
  if (error != 0) {
    throw UserError(fmt::format("{} cannot be started: {}", command[0], std::strerror(error)));
  }
  return child;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The next watched signal; nothing after this time.
std::optional<int> next_signal(double seconds) {
  const sigset_t set = watched();
  seconds = std::max(seconds, 0.0);
  timespec timeout{};
  timeout.tv_sec = static_cast<time_t>(seconds);
  timeout.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
  const int signal = sigtimedwait(&set, nullptr, &timeout);
  return signal > 0 ? std::optional(signal) : std::nullopt;
}

std::optional<int> ended_status(pid_t child) {
  int state = 0;
  const pid_t ended = waitpid(child, &state, WNOHANG);
  require(ended < 0 ? errno : 0, "waitpid");
  if (ended != child) return std::nullopt;
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

}  // namespace

WatchedSignals::WatchedSignals() {
  signal(SIGCHLD, SIG_DFL);  // ignored, no child would leave a status
  const sigset_t set = watched();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

WatchedSignals::~WatchedSignals() {
  const sigset_t set = watched();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

ChildEnd WatchedSignals::run(const std::vector<std::string>& command, const std::string& output,
                             double timeout_s) {
  constexpr double kLook_s = 1;  // a signal of a child may be lost in that of another
  const Clock::time_point started = Clock::now();
  const pid_t child = start(command, output);
  double limit_s = timeout_s > 0 ? timeout_s : HUGE_VAL;
  bool told_to_end = false;
  ChildEnd end;
  while (true) {
    if (const auto status = ended_status(child)) {
      end.status = *status;
      break;
    }
    const std::optional<int> signal =
        next_signal(std::min(limit_s - seconds_since(started), kLook_s));
    const bool stop = signal && *signal != SIGCHLD;
    const bool late = seconds_since(started) >= limit_s;
    if (!stop && !late) continue;
    if (stop) end.interrupted = signal;
    if (!told_to_end && !stop) end.timed_out = true;
    kill(-child, told_to_end ? SIGKILL : SIGTERM);
    limit_s = seconds_since(started) + kGrace_s;
    told_to_end = true;
  }
  kill(-child, SIGKILL);  // what it may have left behind
  end.elapsed_s = seconds_since(started);
  return end;
}

}  // namespace collbench
