// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/counted.h"
#include "base/errors.h"
#include "report/figures.h"
#include "report/sections.h"
#include "traffic/matrix_spec.h"

namespace collbench::report {
namespace {

constexpr int kMostCells = 32;  // in a row of a table; more ranks are put together

/// Numbers by row and column; absent where there is none.
struct Grid {
  std::vector<std::string> names;
  std::vector<std::vector<std::optional<double>>> cells;
};

/// The range that shades stand for: without the twentieth at either end, so that one odd pair does
/// not make all others look alike.
statistics::Interval robust_range(const Grid& grid) {
  std::vector<double> values;
  for (const auto& row : grid.cells) {
    for (const auto& cell : row) {
      if (cell) values.push_back(*cell);
    }
  }
  if (values.empty()) return {0, 0};
  return {statistics::quantile(values, 0.05), statistics::quantile(values, 0.95)};
}

double shade(double value, const statistics::Interval& range) {
  if (range.high <= range.low) return 0.5;
  return std::clamp((value - range.low) / (range.high - range.low), 0.0, 1.0);
}

Table table_of(const Grid& grid, const std::string& corner) {
  Table table = {.columns = {{corner, true}}, .rows = {}};
  for (const std::string& name : grid.names) table.columns.push_back({name});
  const statistics::Interval range = robust_range(grid);
  for (std::size_t r = 0; r < grid.cells.size(); ++r) {
    std::vector<Cell> cells = {{grid.names[r]}};
    for (const auto& cell : grid.cells[r]) {
      if (cell) {
        cells.push_back({significant(*cell), Tone::plain, shade(*cell, range)});
      } else {
        cells.push_back({""});
      }
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// The matrix of a row, in bytes; nothing where only the run knew it, as one of a file.
std::optional<traffic::Matrix> matrix_of(const Record& row) {
  const std::string& text = row.key.matrix;
  constexpr std::string_view kSeed = " seed ";
  const std::size_t at = text.find(kSeed);
  try {
    const auto spec = traffic::parse_matrix_spec(text.substr(0, at), "matrix");
    if (spec.kind == traffic::MatrixKind::file) return std::nullopt;
    const std::uint64_t seed =
        at == std::string::npos ? 0 : std::stoull(text.substr(at + kSeed.size()));
    return traffic::scaled(traffic::make_weights(spec, row.key.ranks, seed), row.requested_bytes);
  } catch (const std::exception&) {
    return std::nullopt;  // of a later version
  }
}

Grid grid_of(const traffic::Matrix& matrix) {
  const int ranks = matrix.ranks();
  const int together = (ranks + kMostCells - 1) / kMostCells;
  const int blocks = (ranks + together - 1) / together;
  Grid grid;
  for (int b = 0; b < blocks; ++b) {
    const int last = std::min(ranks, (b + 1) * together) - 1;
    grid.names.push_back(together == 1 ? fmt::format("{}", b)
                                       : fmt::format("{}-{}", b * together, last));
  }
  grid.cells.assign(static_cast<std::size_t>(blocks),
                    std::vector<std::optional<double>>(static_cast<std::size_t>(blocks), 0.0));
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      auto& cell = grid.cells[static_cast<std::size_t>(from / together)]
                             [static_cast<std::size_t>(to / together)];
      *cell += static_cast<double>(matrix.at(from, to)) / 1024;
    }
  }
  return grid;
}

void add_traffic(Section& section, std::span<const Run> runs) {
  std::map<std::pair<std::string, int>, const Record*> largest;
  for (const Run& run : runs) {
    for (const Record& row : run.document.rows) {
      if (row.key.matrix.empty() || !has_time(row)) continue;
      const Record*& found = largest[{row.key.matrix, row.key.ranks}];
      if (found == nullptr || row.requested_bytes > found->requested_bytes) found = &row;
    }
  }
  for (const auto& [what, row] : largest) {
    const auto matrix = matrix_of(*row);
    if (!matrix) continue;
    Figure figure = {.title = fmt::format("What ranks send each other: {}, {}", what.first,
                                          format_bytes(row->requested_bytes))};
    figure.sentences = {fmt::format(
        "KiB from the rank of the row to the rank of the column{}. The most that a rank sends or "
        "receives is {:.2f} times the mean.",
        matrix->ranks() > kMostCells ? ", neighbouring ranks together" : "",
        traffic::max_over_mean(*matrix))};
    figure.table = table_of(grid_of(*matrix), "from \\ to (KiB)");
    section.figures.push_back(std::move(figure));
  }
}

// ---- pairs

/// Ranks of the groups of two that a run was split into, by group.
std::map<int, std::vector<int>> groups_of(const Environment& environment) {
  std::map<int, std::vector<int>> groups;
  for (const RankFacts& rank : environment.ranks) {
    if (rank.group) groups[*rank.group].push_back(rank.rank);
  }
  return groups;
}

/// Bandwidths between pairs of ranks, of one collective and size.
using Pairs = std::map<std::pair<int, int>, double>;

Grid grid_of(const Pairs& pairs) {
  std::set<int> ranks;
  for (const auto& [pair, rate] : pairs) ranks.insert({pair.first, pair.second});
  Grid grid;
  for (const int from : ranks) {
    grid.names.push_back(fmt::format("{}", from));
    auto& cells = grid.cells.emplace_back();
    for (const int to : ranks) {
      const auto found = pairs.find({std::min(from, to), std::max(from, to)});
      cells.push_back(found == pairs.end() ? std::nullopt : std::optional(found->second));
    }
  }
  return grid;
}

void add_pairs(Section& section, std::span<const Run> runs) {
  std::map<std::string, std::map<Bytes, Pairs>> by_collective;
  for (const Run& run : runs) {
    const auto groups = groups_of(run.document.environment);
    for (const Record& row : run.document.rows) {
      if (!row.key.group || row.key.ranks != 2 || row.status != RowStatus::ok) continue;
      const auto ranks = groups.find(row.key.group->index);
      if (ranks == groups.end() || ranks->second.size() != 2 || !row.bus_bandwidth_Bps) continue;
      const auto [low, high] = std::minmax(ranks->second[0], ranks->second[1]);
      double& rate = by_collective[row.key.collective][row.key.message_bytes][{low, high}];
      rate = std::max(rate, *row.bus_bandwidth_Bps * 1e-9);
    }
  }
  for (const auto& [collective, by_size] : by_collective) {
    const auto& [bytes, pairs] = *by_size.rbegin();
    Figure figure = {.title =
                         fmt::format("Pairs of ranks: {} of {}", collective, format_bytes(bytes))};
    figure.sentences = {
        fmt::format("Bus bandwidth in GB/s of {}, which were all busy at the same "
                    "time where they are of one run; pairs without a number were "
                    "not measured.",
                    counted(pairs.size(), "pair"))};
    const Grid grid = grid_of(pairs);
    if (grid.names.size() > 2 * kMostCells) continue;
    figure.table = table_of(grid, "rank (GB/s)");
    section.figures.push_back(std::move(figure));
  }
}

}  // namespace

std::optional<Section> matrix_section(std::span<const Run> runs) {
  Section section = {.id = "matrix", .title = "Between ranks"};
  add_pairs(section, runs);
  add_traffic(section, runs);
  if (section.figures.empty()) return std::nullopt;
  section.sentences = {
      "Stronger colours are more. The range of colours leaves out the twentieth at either end, so "
      "that one "
      "odd number does not make all others look alike; every cell has its number."};
  return section;
}

}  // namespace collbench::report
