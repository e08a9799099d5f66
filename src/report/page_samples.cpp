// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/figures.h"
#include "report/sections.h"

namespace collbench::report {
namespace {

constexpr std::size_t kMostFigures = 4;
constexpr std::size_t kFewest = 6;  // samples that say anything by their order
constexpr std::size_t kMostPoints = 500;

struct Candidate {
  const Run* run;
  const Record* row;
  double half_width;
};

double half_width_of(const Timing& timing) {
  if (!timing.interval95_s || timing.median_s <= 0) return 0;
  return statistics::relative_half_width(*timing.interval95_s, timing.median_s);
}

std::vector<Candidate> worst_rows(std::span<const Run> runs) {
  std::vector<Candidate> all;
  for (const Run& run : runs) {
    for (const Record& row : run.document.rows) {
      if (!has_time(row) || row.timing->samples_s.size() < kFewest) continue;
      all.push_back({&run, &row, half_width_of(*row.timing)});
    }
  }
  const std::size_t shown = std::min(all.size(), kMostFigures);
  std::partial_sort(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown), all.end(),
      [](const Candidate& a, const Candidate& b) { return a.half_width > b.half_width; });
  all.resize(shown);
  return all;
}

/// By number of the sample, from 1; of very many every n-th, which keeps what rises and falls.
std::vector<Point> points_of(const std::vector<double>& samples_s) {
  const std::size_t step = (samples_s.size() + kMostPoints - 1) / kMostPoints;
  std::vector<Point> points;
  for (std::size_t i = 0; i < samples_s.size(); i += step) {
    points.push_back({static_cast<double>(i + 1), samples_s[i] * 1e6});
  }
  return points;
}

Figure figure_of(const Candidate& candidate) {
  const Record& row = *candidate.row;
  const Timing& timing = *row.timing;
  Figure figure = {.title = fmt::format(
                       "{} of {}, {}: {}", row.key.collective, format_bytes(row.key.message_bytes),
                       row.key.in_place ? "in place" : "out of place", candidate.run->name)};
  std::string flags;
  for (const std::string& flag : row.flags) flags += (flags.empty() ? "" : ", ") + flag;
  figure.sentences = {fmt::format("Median {}, known to {} %; {} samples of {} operations{}.",
                                  duration(timing.median_s), percent(candidate.half_width),
                                  timing.samples_s.size(), timing.operations_per_sample,
                                  flags.empty() ? "" : "; flags: " + flags)};
  Chart chart = {.kind = ChartKind::points,
                 .title = "Samples in their order",
                 .description = "Time of each sample, in the order in which they were taken.",
                 .x = {"sample"},
                 .y = {"us"}};
  Series median = {.label = "median", .dashed = true};
  median.points = {{1, timing.median_s * 1e6},
                   {static_cast<double>(timing.samples_s.size()), timing.median_s * 1e6}};
  chart.series = {{.label = "sample", .points = points_of(timing.samples_s)}, std::move(median)};
  figure.charts.push_back(std::move(chart));
  Table table = {.columns = {{"sample"}, {"time (us)"}}, .rows = {}};
  for (const Point& point : figure.charts[0].series[0].points) {
    table.rows.push_back(
        {{fmt::format("{}", static_cast<std::size_t>(point.x))}, {significant(point.y)}});
  }
  table.left_out = timing.samples_s.size() - table.rows.size();
  figure.table = std::move(table);
  return figure;
}

}  // namespace

std::optional<Section> samples_section(std::span<const Run> runs) {
  const std::vector<Candidate> rows = worst_rows(runs);
  if (rows.empty()) return std::nullopt;
  Section section = {.id = "samples", .title = "Samples of the rows that are known worst"};
  section.sentences = {
      "A level that rises or falls is drift: something else ran, or clocks changed. A first part "
      "that differs is a warm-up that was too short."};
  for (const Candidate& candidate : rows) section.figures.push_back(figure_of(candidate));
  return section;
}

}  // namespace collbench::report
