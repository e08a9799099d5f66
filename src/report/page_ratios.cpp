// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/measurement_key.h"
#include "base/counted.h"
#include "report/figures.h"
#include "report/sections.h"

namespace collbench::report {
namespace {

constexpr std::size_t kMostRows = 2'000;

/// The same row in several runs, by run; null where a run has it not, or not in order.
struct Matched {
  const Record* first = nullptr;
  std::vector<const Record*> by_run;
};

/// Rows of one key, and one cycle.
std::vector<Matched> matched_rows(std::span<const Run> runs) {
  std::map<std::string, std::size_t> index;
  std::vector<Matched> all;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const Record& row : runs[r].document.rows) {
      if (row.status != RowStatus::ok || !has_time(row)) continue;
      const std::string key =
          fmt::format("{}/{}", name_of(MeasurementKey(row.key)), row.cycle.value_or(1));
      const auto [found, is_new] = index.try_emplace(key, all.size());
      if (is_new) {
        all.push_back({.first = &row, .by_run = {}});
        all.back().by_run.resize(runs.size(), nullptr);
      }
      all[found->second].by_run[r] = &row;
    }
  }
  std::erase_if(all, [](const Matched& matched) {
    return std::count(matched.by_run.begin(), matched.by_run.end(), nullptr) + 2 >
           static_cast<std::ptrdiff_t>(matched.by_run.size());
  });
  return all;
}

const Record* base_of(const Matched& matched) {
  return *std::find_if(matched.by_run.begin(), matched.by_run.end(),
                       [](const Record* row) { return row != nullptr; });
}

Facts facts_of(const Record& row) {
  Facts facts = sweep_facts(row.key);
  const Facts line = line_facts(row.key);
  facts.insert(facts.end(), line.begin(), line.end());
  return facts;
}

double ratio(const Record& row, const Record& base) {
  return row.timing->median_s / base.timing->median_s;
}

/// "0.94": of times, so below 1 is faster.
std::string ratio_text(double value) { return fmt::format("{:.3f}", value); }

Table table_of(std::span<const Run> runs, const std::vector<Matched>& all) {
  Table table = {.columns = {{"row", true}, {"size"}}, .rows = {}};
  for (const Run& run : runs) table.columns.push_back({run.name + " (us)"});
  for (std::size_t r = 1; r < runs.size(); ++r) table.columns.push_back({runs[r].name + " / base"});
  std::vector<Facts> facts;
  for (const Matched& matched : all) facts.push_back(facts_of(*matched.first));
  const std::vector<std::string> names = labels(facts, 1);
  for (std::size_t i = 0; i < std::min(all.size(), kMostRows); ++i) {
    std::vector<Cell> cells = {{names[i]}, {format_bytes(all[i].first->key.message_bytes)}};
    for (const Record* row : all[i].by_run) {
      cells.push_back({row == nullptr ? "" : microseconds(row->timing->median_s)});
    }
    const Record* base = base_of(all[i]);
    for (std::size_t r = 1; r < runs.size(); ++r) {
      const Record* row = all[i].by_run[r];
      cells.push_back({row == nullptr || row == base ? "" : ratio_text(ratio(*row, *base))});
    }
    table.rows.push_back(std::move(cells));
  }
  table.left_out = all.size() - table.rows.size();
  return table;
}

/// What a row as fast as in the base has.
void add_reference(Chart& chart) {
  std::optional<statistics::Interval> sizes;
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) {
      if (!sizes) sizes = {point.x, point.x};
      sizes = {std::min(sizes->low, point.x), std::max(sizes->high, point.x)};
    }
  }
  if (!sizes) return;
  chart.series.push_back({.label = "base", .dashed = true});
  chart.series.back().points = {{sizes->low, 1}, {sizes->high, 1}};
}

/// By size, of each run that has something to compare: every row is a point.
Chart chart_of(std::span<const Run> runs, const std::vector<Matched>& all) {
  Chart chart = {.kind = ChartKind::points,
                 .title = "Time relative to the base",
                 .description = {},
                 .x = {"message size", Scale::bytes},
                 .y = {"ratio of times"}};
  for (std::size_t r = 1; r < runs.size(); ++r) {
    Series series = {.label = runs[r].name};
    for (const Matched& matched : all) {
      const Record* row = matched.by_run[r];
      const Record* base = base_of(matched);
      if (row == nullptr || row == base || row->key.message_bytes == 0) continue;
      series.points.push_back({static_cast<double>(row->key.message_bytes), ratio(*row, *base)});
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  add_reference(chart);
  chart.description =
      "Ratio of the time of each row to that of the same row in the base, against "
      "message size: below 1 is faster.";
  return chart;
}

std::string mean_sentence(std::span<const Run> runs, std::size_t r,
                          const std::vector<Matched>& all) {
  double logs = 0;
  std::size_t count = 0;
  for (const Matched& matched : all) {
    const Record* row = matched.by_run[r];
    const Record* base = base_of(matched);
    if (row == nullptr || row == base) continue;
    logs += std::log(ratio(*row, *base));
    ++count;
  }
  if (count == 0) return "";
  return fmt::format("{}: {} times the base's time, the geometric mean of {} that both have.",
                     runs[r].name, ratio_text(std::exp(logs / static_cast<double>(count))),
                     counted(count, "row"));
}

}  // namespace

std::optional<Section> ratios_section(std::span<const Run> runs) {
  const std::vector<Matched> all = matched_rows(runs);
  if (all.empty()) return std::nullopt;
  Section section = {.id = "ratios", .title = "Runs beside each other"};
  section.sentences = {
      fmt::format("The base of a row is the first run that has it; {} comes first. These are "
                  "ratios of single launches, not verdicts: how much launches of the same thing "
                  "differ is not in them. collbench compare judges.",
                  runs.front().name)};
  for (std::size_t r = 1; r < runs.size(); ++r) {
    const std::string sentence = mean_sentence(runs, r, all);
    if (!sentence.empty()) section.sentences.push_back(sentence);
  }
  Figure figure = {.title = "Rows that several runs have"};
  figure.charts.push_back(chart_of(runs, all));
  figure.table = table_of(runs, all);
  section.figures.push_back(std::move(figure));
  return section;
}

}  // namespace collbench::report
