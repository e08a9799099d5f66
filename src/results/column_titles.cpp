// SPDX-License-Identifier: Apache-2.0
#include "results/column_titles.h"

#include <fmt/format.h>

#include "results/statistics_columns.h"

namespace collbench {
namespace {

/// The column names, for times of enqueueing and of single iterations too where these are shown.
std::string column_names(const RunConfig& config) {
  const bool iterations = config.skipped_iterations.has_value();
  const std::string wider(iterations ? 36 : 0, ' ');
  const std::string placement =
      fmt::format("  {:>7}   algbw   busbw  #wrong{}", config.enqueue_time ? "cputime" : "time",
                  iterations ? "    i_min    i_max    i_p99    i_cv%" : "");
  const std::string units = fmt::format("     (us)  (GB/s)  (GB/s)        {}",
                                        iterations ? "     (us)     (us)     (us)      (%)" : "");
  return fmt::format("#{:>74}{:23}{}in-place          {}\n", "out-of-place", "", wider, wider) +
         fmt::format("#       size         count      type   redop    root{}{} \n", placement,
                     placement) +
         fmt::format("#        (B)    (elements)                          {}{} \n", units, units);
}

std::size_t row_width(const TableStyle& style, bool iterations) {
  return 118 + (iterations ? 72 : 0) + (style.timestamps ? 21 : 0);
}

/// The next line, without its end.
std::string take_line(std::string& text) {
  const std::size_t end = text.find('\n');
  std::string line = text.substr(0, end);
  text.erase(0, end + 1);
  return line;
}

}  // namespace

bool has_room_for_statistics(const TableStyle& style, bool iterations) {
  return style.width == 0 || style.width >= row_width(style, iterations) + kStatisticsWidth;
}

std::string column_titles(const RunConfig& config, const TableStyle& style) {
  std::string text = column_names(config);
  ColumnTitles titles;
  titles.placement = take_line(text);
  titles.name = take_line(text);
  titles.unit = take_line(text);
  if (style.timestamps) {
    titles.name += fmt::format("{:>19}", "timestamp");
    titles.unit += fmt::format("{:>19}", "%Y-%m-%d %H:%M:%S");
  }
  const bool iterations = config.skipped_iterations.has_value();
  std::string below;
  if (style.statistics && has_room_for_statistics(style, iterations)) {
    const ColumnTitles more = statistics_titles();
    const std::size_t row = row_width(style, iterations);
    titles.placement = fmt::format("{:<{}}{}", titles.placement, row, more.placement);
    titles.name = fmt::format("{:<{}}{}", titles.name.substr(0, row), row, more.name);
    titles.unit = fmt::format("{:<{}}{}", titles.unit.substr(0, row), row, more.unit);
  } else if (style.statistics) {
    below = statistics_line_title();
  }
  return fmt::format("{}\n{}\n{}\n{}", titles.placement, titles.name, titles.unit, below);
}

}  // namespace collbench
