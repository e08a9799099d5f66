// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/counted.h"
#include "report/figures.h"
#include "report/sections.h"

namespace collbench::report {
namespace {

constexpr std::size_t kMostOps = 2'000;  // that one can tell apart, and a browser draws at once

/// "F0", "B", "all_gather": the first word of a label, without the number of a micro-batch.
std::string kind_of(const TimelineOp& op) {
  std::string word = op.label.substr(0, op.label.find_first_of(" :("));
  const std::size_t end = word.find_last_not_of("0123456789");
  if (end != std::string::npos && end + 1 < word.size() && end < 2) word.resize(end + 1);
  return word.empty() ? "operation" : word;
}

/// The most frequent kinds have a colour each, all others share one.
std::vector<std::string> kinds_of(std::span<const TimelineOp> ops) {
  constexpr std::size_t kMostKinds = 7;
  std::map<std::string, std::size_t> counts;
  for (const TimelineOp& op : ops) ++counts[kind_of(op)];
  std::vector<std::pair<std::size_t, std::string>> by_count;
  for (const auto& [kind, count] : counts) by_count.push_back({count, kind});
  std::stable_sort(by_count.begin(), by_count.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> kinds;
  for (const auto& [count, kind] : by_count) {
    if (kinds.size() < kMostKinds) kinds.push_back(kind);
  }
  return kinds;
}

Chart chart_of(const Timeline& timeline, std::span<const TimelineOp> ops) {
  Chart chart = {.kind = ChartKind::spans,
                 .title = "Operations by stream",
                 .description = fmt::format("{} on {}, as bars from beginning to end.",
                                            counted(ops.size(), "operation"),
                                            counted(timeline.lanes.size(), "stream")),
                 .x = {"ms"},
                 .y = {"", Scale::category},
                 .categories = timeline.lanes};
  const std::vector<std::string> kinds = kinds_of(ops);
  for (const std::string& kind : kinds) chart.series.push_back({.label = kind});
  Series others = {.label = "others"};
  for (const TimelineOp& op : ops) {
    const auto found = std::find(kinds.begin(), kinds.end(), kind_of(op));
    Series& series = found == kinds.end()
                         ? others
                         : chart.series[static_cast<std::size_t>(found - kinds.begin())];
    series.spans.push_back({op.begin_s * 1e3, op.end_s * 1e3, op.lane, op.label});
  }
  if (!others.spans.empty()) chart.series.push_back(std::move(others));
  return chart;
}

/// How long the streams are busy in the window.
Table table_of(const Timeline& timeline, std::span<const TimelineOp> ops) {
  Table table = {.columns = {{"stream", true}, {"operations"}, {"busy (ms)"}, {"busy (%)"}},
                 .rows = {}};
  double end_s = 0;
  for (const TimelineOp& op : ops) end_s = std::max(end_s, op.end_s);
  for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
    std::size_t count = 0;
    double busy_s = 0;
    for (const TimelineOp& op : ops) {
      if (op.lane != lane) continue;
      ++count;
      busy_s += op.end_s - op.begin_s;
    }
    table.rows.push_back({{timeline.lanes[lane]},
                          {fmt::format("{}", count)},
                          {milliseconds(busy_s)},
                          {end_s > 0 ? percent(busy_s / end_s) : ""}});
  }
  return table;
}

}  // namespace

std::optional<Section> timeline_section(std::span<const Timeline> timelines) {
  Section section = {.id = "timeline", .title = "Timelines"};
  for (const Timeline& timeline : timelines) {
    if (timeline.ops.empty()) continue;
    const std::size_t shown = std::min(timeline.ops.size(), kMostOps);
    const auto ops = std::span(timeline.ops).first(shown);
    Figure figure = {.title = timeline.name};
    figure.sentences = {
        "An operation is drawn from when it could start: waiting for its peers is "
        "part of its bar."};
    if (shown < timeline.ops.size()) {
      figure.sentences.push_back(
          fmt::format("Only the first {} of {} operations; Perfetto shows the whole file.", shown,
                      timeline.ops.size()));
    }
    figure.charts.push_back(chart_of(timeline, ops));
    figure.table = table_of(timeline, ops);
    section.figures.push_back(std::move(figure));
  }
  return section.figures.empty() ? std::nullopt : std::optional(std::move(section));
}

}  // namespace collbench::report
