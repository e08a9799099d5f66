// SPDX-License-Identifier: Apache-2.0
#include "measure/end_signals.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace collbench {
namespace {

constexpr std::size_t kMaxMessageBytes = 4096;

// A notice in the 64 bits of a signal's value: status in bits 0-7, rank in 8-31, file in 32-62.
union sigval pack(const EndNotice& notice, int file) {
  const auto bits = static_cast<std::uint64_t>(static_cast<std::uint8_t>(notice.status)) |
                    (static_cast<std::uint64_t>(notice.rank) & 0xffffffU) << 8 |
                    static_cast<std::uint64_t>(file) << 32;
  union sigval value {};
  static_assert(sizeof(value.sival_ptr) == sizeof(bits));
  value.sival_ptr = reinterpret_cast<void*>(bits);
  return value;
}

bool is_an_early_end(ExitStatus status) {
  switch (status) {
    case ExitStatus::user_error:
    case ExitStatus::system_error:
    case ExitStatus::deadline:
    case ExitStatus::interrupted:
    case ExitStatus::terminated:
      return true;
    default:
      return false;
  }
}

std::string read_message(pid_t sender, int file) {
  const std::string path = fmt::format("/proc/{}/fd/{}", sender, file);
  const int copy = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (copy < 0) return "";
  std::array<char, kMaxMessageBytes> text{};
  const ssize_t length = pread(copy, text.data(), text.size(), 0);
  close(copy);
  return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : "";
}

std::optional<EndNotice> unpack(const siginfo_t& info) {
  if (info.si_code != SI_QUEUE) return std::nullopt;
  const auto bits = reinterpret_cast<std::uint64_t>(info.si_value.sival_ptr);
  EndNotice notice;
  notice.status = static_cast<ExitStatus>(bits & 0xffU);
  if (!is_an_early_end(notice.status)) return std::nullopt;
  notice.rank = static_cast<int>((bits >> 8) & 0xffffffU);
  notice.message = read_message(info.si_pid, static_cast<int>(bits >> 32));
  return notice;
}

bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t end_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, notice_signal()}) sigaddset(&set, number);
  for (const int number : {SIGHUP, SIGQUIT}) {
    if (!is_ignored(number)) sigaddset(&set, number);
  }
  return set;
}

}  // namespace

int notice_signal() { return SIGRTMIN; }

void block_end_signals() {
  const sigset_t set = end_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

std::optional<EndSignal> take_end_signal(double timeout_s) {
  const sigset_t set = end_signals();
  const double whole_s = std::floor(timeout_s);
  const timespec timeout = {static_cast<time_t>(whole_s),
                            static_cast<long>((timeout_s - whole_s) * 1e9)};
  siginfo_t info{};
  const int number = sigtimedwait(&set, &info, &timeout);
  if (number < 0) return std::nullopt;  // nothing came, or a signal of no interest
  if (number != notice_signal()) return EndSignal{number, std::nullopt};
  auto notice = unpack(info);
  if (!notice) return std::nullopt;
  return EndSignal{number, std::move(notice)};
}

bool send_notice(pid_t receiver, const EndNotice& notice) {
  const int file = memfd_create("collbench-end-notice", MFD_CLOEXEC);
  if (file < 0) return false;
  const std::size_t length = std::min(notice.message.size(), kMaxMessageBytes);
  if (write(file, notice.message.data(), length) < 0) return false;
  return sigqueue(receiver, notice_signal(), pack(notice, file)) == 0;
}

}  // namespace collbench
