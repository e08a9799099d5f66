// SPDX-License-Identifier: Apache-2.0
#include "app/ways_out.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>

#include "base/one_line.h"
#include "comm/launch.h"

namespace collbench {
namespace {

// A launcher forgets what it has not yet passed on when a rank aborts: with hydra one of ten last
// lines was lost without a pause.
constexpr std::chrono::milliseconds kUntilLinesArePassedOn{200};

}  // namespace

void print_message(std::string_view program, std::string_view message) noexcept {
  try {
    const std::string line = message_line(fmt::format("{}: {}", program, message));
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  } catch (const std::exception&) {  // no memory for a line: the status has to tell
  }
}

void occupy_standard_files() noexcept {
  int lowest_free = -1;
  do {
    lowest_free = open("/dev/null", O_RDONLY);
  } while (lowest_free >= 0 && lowest_free <= STDERR_FILENO);
  if (lowest_free >= 0) close(lowest_free);
}

void write_stdout(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      throw SystemError(fmt::format("write to stdout failed: {}", std::strerror(errno)));
    }
  }
}

void write_stderr_if_ready(std::string_view text) noexcept {
  pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (text.empty() || poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return;
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

void end_all_processes(ExitStatus status) noexcept {
  std::this_thread::sleep_for(kUntilLinesArePassedOn);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  MpiSession::abort(static_cast<int>(status));
}

void exit_later(ExitStatus status, double seconds) noexcept {
  try {
    std::thread([=] {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      _exit(static_cast<int>(status));
    }).detach();
  } catch (const std::exception&) {  // no thread to be had: it was the second rope only
  }
}

}  // namespace collbench
