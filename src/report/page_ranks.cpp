// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/figures.h"
#include "report/sections.h"
#include "results/row_flags.h"

namespace collbench::report {
namespace {

constexpr std::size_t kMostFigures = 4;
constexpr std::size_t kMostBars = 64;
constexpr double kNoticed = 0.02;  // excess below it costs nobody anything

struct Candidate {
  const Run* run;
  const Record* row;
  double excess;  // of the slowest rank over the middle one, as a share
  bool flagged;
};

double excess_of(const Timing& timing) {
  const double middle = statistics::median(timing.rank_median_s);
  if (middle <= 0) return 0;
  return *std::max_element(timing.rank_median_s.begin(), timing.rank_median_s.end()) / middle - 1;
}

bool is_flagged(const Record& row) {
  return std::find(row.flags.begin(), row.flags.end(), row_flags::straggler.name) !=
         row.flags.end();
}

/// Rows that are flagged, then those with the slowest rank; one of each run and collective, and one
/// at least.
std::vector<Candidate> worst_rows(std::span<const Run> runs) {
  std::vector<Candidate> all;
  for (const Run& run : runs) {
    for (const Record& row : run.document.rows) {
      if (!has_time(row) || row.timing->rank_median_s.size() < 2) continue;
      all.push_back({&run, &row, excess_of(*row.timing), is_flagged(row)});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.flagged != b.flagged ? a.flagged : a.excess > b.excess;
  });
  std::vector<Candidate> chosen;
  for (const Candidate& candidate : all) {
    const bool is_new = std::none_of(chosen.begin(), chosen.end(), [&](const Candidate& other) {
      return other.run == candidate.run &&
             other.row->key.collective == candidate.row->key.collective;
    });
    const bool matters = candidate.flagged || candidate.excess > kNoticed || chosen.empty();
    if (is_new && matters && chosen.size() < kMostFigures) chosen.push_back(candidate);
  }
  return chosen;
}

/// Ranks by how late they are; only the slowest where there are too many for bars.
std::vector<std::size_t> shown_ranks(const Timing& timing) {
  std::vector<std::size_t> ranks(timing.rank_median_s.size());
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  if (ranks.size() <= kMostBars) return ranks;
  std::stable_sort(ranks.begin(), ranks.end(), [&](std::size_t a, std::size_t b) {
    return timing.rank_median_s[a] > timing.rank_median_s[b];
  });
  ranks.resize(kMostBars);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

/// "3 on node1". Groups have fewer ranks than the run, so a rank is looked up among its group's.
std::string name_of_rank(const Candidate& candidate, std::size_t rank) {
  const Environment& environment = candidate.run->document.environment;
  const auto& group = candidate.row->key.group;
  std::size_t index = 0;
  for (const RankFacts& facts : environment.ranks) {
    if (group && facts.group != group->index) continue;
    if (index++ != rank) continue;
    const auto host = static_cast<std::size_t>(facts.host);
    if (environment.hosts.size() < 2 || host >= environment.hosts.size()) {
      return fmt::format("rank {}", facts.rank);
    }
    const std::string& name = environment.hosts[host].name;
    return fmt::format("rank {} on {}", facts.rank, name.substr(0, name.find('.')));
  }
  return fmt::format("rank {}", rank);
}

Chart bars(std::string title, std::string unit, const std::vector<std::string>& names,
           const std::vector<double>& values) {
  Chart chart = {.kind = ChartKind::bars,
                 .title = std::move(title),
                 .description = {},
                 .x = {"", Scale::category},
                 .y = {std::move(unit)},
                 .categories = names};
  Series series = {.label = chart.title};
  for (std::size_t i = 0; i < values.size(); ++i) {
    series.points.push_back({static_cast<double>(i), values[i]});
  }
  chart.series.push_back(std::move(series));
  return chart;
}

Figure figure_of(const Candidate& candidate) {
  const Record& row = *candidate.row;
  const Timing& timing = *row.timing;
  std::vector<std::string> names;
  std::vector<double> medians_us, last_percent;
  Table table = {.columns = {{"rank", true}, {"median (us)"}, {"last in (%)"}}, .rows = {}};
  const std::size_t samples = timing.samples_s.size();
  for (const std::size_t rank : shown_ranks(timing)) {
    names.push_back(name_of_rank(candidate, rank));
    medians_us.push_back(timing.rank_median_s[rank] * 1e6);
    const std::uint64_t last =
        rank < timing.rank_last_count.size() ? timing.rank_last_count[rank] : 0;
    last_percent.push_back(
        samples == 0 ? 0 : 100.0 * static_cast<double>(last) / static_cast<double>(samples));
    table.rows.push_back({{names.back()},
                          {microseconds(timing.rank_median_s[rank])},
                          {significant(last_percent.back())}});
  }
  table.left_out = timing.rank_median_s.size() - names.size();
  Figure figure = {.title = fmt::format(
                       "{} of {}, {}: {}", row.key.collective, format_bytes(row.key.message_bytes),
                       row.key.in_place ? "in place" : "out of place", candidate.run->name)};
  figure.sentences = {fmt::format(
      "The slowest rank takes {} % more than the middle one{}.", percent(candidate.excess),
      candidate.flagged ? "; it is last more often than chance explains" : "")};
  figure.charts = {bars("Median by rank", "us", names, medians_us),
                   bars("How often a rank was last", "% of samples", names, last_percent)};
  for (Chart& chart : figure.charts) {
    chart.description = fmt::format("{} of {}.", chart.title, figure.title);
  }
  figure.table = std::move(table);
  return figure;
}

}  // namespace

std::optional<Section> ranks_section(std::span<const Run> runs) {
  const std::vector<Candidate> rows = worst_rows(runs);
  if (rows.empty()) return std::nullopt;
  Section section = {.id = "ranks", .title = "Slow ranks"};
  section.sentences = {
      "The rows with the slowest ranks, one of each run and collective. In a collective ranks wait "
      "for each other, so a slow one shows by being last rather than by its time."};
  for (const Candidate& candidate : rows) section.figures.push_back(figure_of(candidate));
  return section;
}

}  // namespace collbench::report
