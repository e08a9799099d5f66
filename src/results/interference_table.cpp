// SPDX-License-Identifier: Apache-2.0
#include "results/interference_table.h"

#include <fmt/format.h>

#include "results/table.h"
#include "results/units.h"

namespace collbench {
namespace {

std::optional<double> ratio(double beside_s, double alone_s) {
  if (alone_s <= 0) return std::nullopt;
  return beside_s / alone_s;
}

using Interval = std::optional<statistics::Interval>;

/// Whether the medians may be the same as far as is known.
bool is_doubtful(const Interval& alone, const Interval& beside) {
  return !alone || !beside || (alone->low <= beside->high && beside->low <= alone->high);
}

std::string times(const std::optional<double>& slowdown, const Interval& alone,
                  const Interval& beside) {
  if (!slowdown) return "N/A";
  return fmt::format("{:.2f}{}", *slowdown, is_doubtful(alone, beside) ? " ?" : "");
}

/// Alone, beside, and how many times as long.
std::string pair(double alone_s, const Interval& alone, const TimeSeries& beside,
                 const std::optional<double>& slowdown) {
  return fmt::format("{:>10.2f} {:>10.2f} {:>8}", us_from_s(alone_s), us_from_s(beside.median_s),
                     times(slowdown, alone, beside.interval95_s));
}

std::string line(const Record& record) {
  const Interference& both = *record.interference;
  const Timing alone = record.timing.value_or(Timing{});
  return fmt::format(
      "# {:>14} {:>8} {:>12} {} {:>14} {}{}\n", record.key.message_bytes, name_of(record.key.type),
      record.key.in_place ? "in place" : "out of place",
      pair(alone.median_s, alone.interval95_s, both.beside, both.slowdown(alone.median_s)),
      both.message_bytes,
      pair(both.other_alone.median_s, both.other_alone.interval95_s, both.other_beside,
           both.other_slowdown()),
      record.key.group ? fmt::format(" group {}", record.key.group->index) : "");
}

std::string heading(const Interference& first) {
  return comment_line(fmt::format(
             "what each row and {} over {} cost each other: times in us alone, and while the other "
             "runs without pause",
             first.operation, first.groups)) +
         fmt::format("# {:>14} {:>8} {:>12} {:>10} {:>10} {:>8} {:>14} {:>10} {:>10} {:>8}\n",
                     "size", "type", "", "alone", "beside", "times", "other's size", "alone",
                     "beside", "times");
}

}  // namespace

std::optional<double> Interference::slowdown(double alone_s) const {
  return ratio(beside.median_s, alone_s);
}

std::optional<double> Interference::other_slowdown() const {
  return ratio(other_beside.median_s, other_alone.median_s);
}

std::string interference_table(const Document& document) {
  std::string text;
  bool some_lack_it = false;
  for (const Record& record : document.rows) {
    some_lack_it |= !record.interference && record.timing;
    if (!record.interference) continue;
    if (text.empty()) text = heading(*record.interference);
    text += line(record);
  }
  if (some_lack_it && !document.config.interfere.empty()) {
    text += comment_line(
        fmt::format("rows that are not here had nothing beside them: {} rounds to nothing at their "
                    "size, or one of the two is too short to outlast a sample of the other",
                    document.config.interfere));
  }
  if (text.find(" ?") != std::string::npos) {
    text += comment_line("?: within the noise, or too few samples to tell");
  }
  return text;
}

}  // namespace collbench
