// SPDX-License-Identifier: Apache-2.0
#include "app/sweep_progress.h"

#include <fmt/format.h>

#include <utility>

namespace collbench {
namespace {

constexpr double kBetweenLines_s = 30;
constexpr double kBetweenBars_s = 0.2;
constexpr std::size_t kBarWidth = 30;

}  // namespace

SweepProgress::SweepProgress(ProgressChoice choice, std::string program,
                             std::optional<std::size_t> rows, Clock& clock)
    : choice_(choice),
      program_(std::move(program)),
      rows_(rows),
      clock_(clock),
      started_s_(clock.now_s()),
      last_s_(started_s_) {}

std::string SweepProgress::row_done() {
  ++done_;
  if (choice_ == ProgressChoice::none) return "";
  const double now_s = clock_.now_s();
  const bool draws = choice_ == ProgressChoice::bar;
  if (now_s - last_s_ < (draws ? kBetweenBars_s : kBetweenLines_s)) return "";
  last_s_ = now_s;
  drawn_ = draws;
  if (draws) return bar(now_s - started_s_);
  return fmt::format("{}: {} after {:.0f} s\n", program_, rows_done(), now_s - started_s_);
}

std::string SweepProgress::end() const { return drawn_ ? "\r\x1b[K" : ""; }

std::string SweepProgress::rows_done() const {
  return rows_ ? fmt::format("{} of {} rows", done_, *rows_) : fmt::format("{} rows", done_);
}

std::string SweepProgress::bar(double elapsed_s) const {
  const std::string text = fmt::format("{}, {:.0f} s\x1b[K", rows_done(), elapsed_s);
  if (!rows_) return "\r" + text;
  const std::size_t filled = kBarWidth * done_ / *rows_;
  return fmt::format("\r[{:#<{}}{:.<{}}] {}", "", filled, "", kBarWidth - filled, text);
}

ProgressChoice settled(ProgressChoice choice, bool stderr_is_terminal, bool stdout_is_terminal) {
  if (choice != ProgressChoice::automatic) return choice;
  return stderr_is_terminal && !stdout_is_terminal ? ProgressChoice::bar : ProgressChoice::plain;
}

}  // namespace collbench
