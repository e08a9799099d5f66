// SPDX-License-Identifier: Apache-2.0
#include "report/baseline_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "base/one_line.h"
#include "results/table.h"

namespace collbench {
namespace {

std::string percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::string line(const BaselineRow& row) {
  const std::string noise = row.noise ? fmt::format("{:.1f} %", 100 * *row.noise) : "N/A";
  return fmt::format("    {:>8}{:>14.2f}{:>14.2f}{:>14.2f}{:>9}{:>10}{}  {}\n", row.launches,
                     row.first_s * 1e6, row.median_s * 1e6, row.latest_s * 1e6, noise,
                     percent(row.moved), has_moved(row) ? " moved" : "      ", one_line(row.name));
}

std::string launches_of(const BaselineGroup& group) {
  std::string text = counted(group.launches.size(), "launch");
  if (group.launches.size() > 1) {
    text = fmt::format("{} launches", group.launches.size());
    return fmt::format("{}, {} to {}", text, group.launches.front(), group.launches.back());
  }
  return fmt::format("{}, {}", text, group.launches.front());
}

std::string text_of(const BaselineGroup& group) {
  std::string text = "#\n" + comment_line(fmt::format("{}: {}, fingerprint {}", group.program,
                                                      launches_of(group), group.fingerprint));
  for (const std::string& fact : group.facts) text += comment_line("  " + fact);
  text += fmt::format("#   {:>8}{:>14}{:>14}{:>14}{:>9}{:>10}        {}\n", "launches",
                      "first (us)", "median (us)", "latest (us)", "noise", "moved by", "row");
  for (const BaselineRow& row : group.rows) text += line(row);
  const auto moved = std::count_if(group.rows.begin(), group.rows.end(), has_moved);
  if (moved == 0) return text;
  return text + comment_line(fmt::format(
                    "{} of {} moved since the first launch that is kept, by more than 3 % and "
                    "three times the noise: each launch was like those before it, and all together "
                    "are not",
                    moved, counted(group.rows.size(), "row")));
}

}  // namespace

std::string baseline_text(std::span<const BaselineGroup> groups) {
  if (groups.empty()) return comment_line("no launch is kept");
  std::string text;
  for (const BaselineGroup& group : groups) text += text_of(group);
  return text;
}

}  // namespace collbench
