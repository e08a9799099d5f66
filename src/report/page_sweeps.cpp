// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/figures.h"
#include "report/sections.h"

namespace collbench::report {
namespace {

// More lines than this in one chart cannot be told apart.
constexpr std::size_t kLinesPerChart = 8;
// Beyond it a page is slow to open, and nobody looks at all; tables have everything.
constexpr std::size_t kMostCharts = 96;
// Of all sweeps together: what a browser still scrolls through.
constexpr std::size_t kMostRows = 20'000;

using Lines = std::span<const SweepLine>;

statistics::Interval rates(const statistics::Interval& times_s, double at_s, double rate_Bps) {
  const double bytes = at_s * rate_Bps;
  return {bytes / times_s.high * 1e-9, bytes / times_s.low * 1e-9};
}

std::optional<Point> bandwidth_point(const Record& row, const std::optional<double>& rate_Bps) {
  if (!has_time(row) || !rate_Bps || row.key.message_bytes == 0) return std::nullopt;
  const Timing& timing = *row.timing;
  Point point = {static_cast<double>(row.key.message_bytes), *rate_Bps * 1e-9};
  if (timing.interval95_s && timing.interval95_s->low > 0) {
    point.interval = rates(*timing.interval95_s, timing.median_s, *rate_Bps);
  }
  return point;
}

std::optional<Point> bus_point(const Record& row) {
  return bandwidth_point(row, row.bus_bandwidth_Bps);
}

std::optional<Point> algorithm_point(const Record& row) {
  return bandwidth_point(row, row.algorithm_bandwidth_Bps);
}

std::optional<Point> time_point(const Record& row) {
  if (!has_time(row) || row.key.message_bytes == 0) return std::nullopt;
  Point point = {static_cast<double>(row.key.message_bytes), row.timing->median_s * 1e6};
  if (const auto& interval = row.timing->interval95_s; interval && interval->low > 0) {
    point.interval = {interval->low * 1e6, interval->high * 1e6};
  }
  return point;
}

using PointOf = std::optional<Point> (*)(const Record& row);

/// Rows with wrong data have numbers in the table, and no place in a chart.
std::vector<Series> series_of(Lines lines, PointOf point_of) {
  std::vector<Series> all;
  for (const SweepLine& line : lines) {
    Series series = {.label = line.label, .dashed = line.rows.front()->key.in_place};
    for (const Record* row : line.rows) {
      if (row->status != RowStatus::ok) continue;
      if (const auto point = point_of(*row)) series.points.push_back(*point);
    }
    if (!series.points.empty()) all.push_back(std::move(series));
  }
  return all;
}

struct ChartRow {
  const char* title;
  Axis y;
  PointOf point_of;
};

const ChartRow kCharts[] = {
    {"Bus bandwidth", {"GB/s"}, bus_point},
    {"Algorithm bandwidth", {"GB/s"}, algorithm_point},
    {"Time of one operation", {"us", Scale::logarithmic}, time_point},
};

std::string describe(const Chart& chart, const std::string& of) {
  const Series& first = chart.series.front();
  const auto highest = std::max_element(first.points.begin(), first.points.end(),
                                        [](const Point& a, const Point& b) { return a.y < b.y; });
  return fmt::format(
      "{} of {} against message size, {}: up to {} {} at {}.", chart.title, of,
      chart.series.size() == 1 ? "one line" : fmt::format("{} lines", chart.series.size()),
      significant(highest->y), chart.y.title, format_bytes(static_cast<Bytes>(highest->x)));
}

void add_charts(Figure& figure, Lines lines) {
  for (const ChartRow& row : kCharts) {
    Chart chart = {.kind = ChartKind::lines,
                   .title = row.title,
                   .description = {},
                   .x = {"message size", Scale::bytes},
                   .y = row.y};
    chart.series = series_of(lines, row.point_of);
    if (chart.series.empty()) continue;
    chart.description = describe(chart, figure.title);
    figure.charts.push_back(std::move(chart));
  }
}

// Bus and algorithm bandwidth are the same line where the factor is 1.
bool is_same(const Chart& a, const Chart& b) {
  return std::equal(a.series.begin(), a.series.end(), b.series.begin(), b.series.end(),
                    [](const Series& x, const Series& y) {
                      return std::equal(
                          x.points.begin(), x.points.end(), y.points.begin(), y.points.end(),
                          [](const Point& p, const Point& q) { return p.x == q.x && p.y == q.y; });
                    });
}

void join_equal_bandwidths(Figure& figure) {
  auto& charts = figure.charts;
  if (charts.size() < 2 || charts[1].title != kCharts[1].title || !is_same(charts[0], charts[1])) {
    return;
  }
  charts.erase(charts.begin() + 1);
  charts[0].title = "Bus and algorithm bandwidth";
}

std::string half_width(const Timing& timing) {
  if (!timing.interval95_s || timing.median_s <= 0) return "";
  return percent(statistics::relative_half_width(*timing.interval95_s, timing.median_s));
}

std::vector<Cell> cells_of(const SweepLine& line, const Record& row) {
  const bool timed = row.timing.has_value();
  const Tone tone = row.status == RowStatus::ok        ? Tone::plain
                    : row.status == RowStatus::skipped ? Tone::caution
                                                       : Tone::bad;
  std::string notes = row.status == RowStatus::ok ? "" : std::string(name_of(row.status));
  for (const std::string& flag : row.flags) notes += (notes.empty() ? "" : ", ") + flag;
  return {{format_bytes(timed ? row.key.message_bytes : row.requested_bytes)},
          {line.label},
          {timed ? microseconds(row.timing->median_s) : ""},
          {timed ? half_width(*row.timing) : ""},
          {GB_per_s(row.algorithm_bandwidth_Bps)},
          {GB_per_s(row.bus_bandwidth_Bps)},
          {timed ? fmt::format("{}", row.timing->samples_s.size()) : ""},
          {row.check ? fmt::format("{}", row.check->wrong_elements) : ""},
          {notes, tone}};
}

struct SizedRow {
  Bytes bytes;
  const SweepLine* line;
  const Record* row;
};

/// By size, lines beside each other.
Table table_of(Lines lines, std::size_t& room) {
  std::vector<SizedRow> rows;
  for (const SweepLine& line : lines) {
    for (const Record* row : line.rows) {
      rows.push_back({row->timing ? row->key.message_bytes : row->requested_bytes, &line, row});
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const SizedRow& a, const SizedRow& b) { return a.bytes < b.bytes; });
  Table table = {.columns = {{"size"},
                             {"line", true},
                             {"time (us)"},
                             {"+- (%)"},
                             {"algbw (GB/s)"},
                             {"busbw (GB/s)"},
                             {"samples"},
                             {"wrong"},
                             {"notes", true}},
                 .rows = {}};
  const std::size_t shown = std::min(rows.size(), room);
  for (const SizedRow& row : std::span(rows).first(shown)) {
    table.rows.push_back(cells_of(*row.line, *row.row));
  }
  table.left_out = rows.size() - shown;
  room -= shown;
  return table;
}

std::string part(std::size_t index, std::size_t parts) {
  return parts > 1 ? fmt::format(" ({} of {})", index + 1, parts) : "";
}

}  // namespace

std::optional<Section> sweeps_section(std::span<const Sweep> sweeps) {
  if (sweeps.empty()) return std::nullopt;
  Section section = {.id = "sweeps", .title = "Bandwidth and time by message size"};
  section.sentences = {
      "Lines are medians over the samples of a launch, bands their 95 % intervals within that "
      "launch: another launch may lie outside. Sizes are binary, 1 GB/s is 1e9 bytes per second."};
  std::size_t charts = 0, room = kMostRows;
  for (const Sweep& sweep : sweeps) {
    const std::size_t parts = (sweep.lines.size() + kLinesPerChart - 1) / kLinesPerChart;
    for (std::size_t i = 0; i < parts; ++i) {
      const std::size_t from = i * kLinesPerChart;
      const Lines lines =
          Lines(sweep.lines).subspan(from, std::min(kLinesPerChart, sweep.lines.size() - from));
      Figure figure = {.title = sweep.title + part(i, parts), .sentences = {sweep.method}};
      if (charts < kMostCharts) add_charts(figure, lines);
      join_equal_bandwidths(figure);
      charts += figure.charts.size();
      figure.table = table_of(lines, room);
      section.figures.push_back(std::move(figure));
    }
  }
  if (charts >= kMostCharts) {
    section.notes.push_back({fmt::format("Only the first {} charts are drawn; the tables are "
                                         "there for the rest.",
                                         charts),
                             Tone::caution});
  }
  return section;
}

}  // namespace collbench::report
