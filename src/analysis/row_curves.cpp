// SPDX-License-Identifier: Apache-2.0
#include "analysis/row_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <set>

#include "results/plateau.h"

namespace collbench {
namespace {

using statistics::SizeTime;
using Rows = std::vector<const Record*>;

/// Rows of one file at one count.
struct Launch {
  std::size_t file;
  Rows rows{};
};

struct Placement {
  int ranks;
  int nodes;
  auto operator<=>(const Placement&) const = default;
};

/// A collective, by all that must be equal along a curve.
struct Family {
  RowKey key;
  std::map<Placement, std::vector<Launch>> launches{};
};

RowKey without_size(RowKey key) {
  key.ranks = key.nodes = 0;
  key.message_bytes = key.count = 0;
  return key;
}

Family& family_of(const Record& row, std::vector<Family>& families) {
  const RowKey key = without_size(row.key);
  // Neighbours are of one family nearly always.
  const auto found = std::find_if(families.rbegin(), families.rend(),
                                  [&](const Family& family) { return family.key == key; });
  return found == families.rend() ? families.emplace_back(Family{key}) : *found;
}

std::vector<Family> families_of(std::span<const Document* const> documents) {
  std::vector<Family> families;
  for (std::size_t file = 0; file < documents.size(); ++file) {
    for (const Record& row : documents[file]->rows) {
      if (!crosses_links(row.key)) continue;
      auto& launches = family_of(row, families).launches[{row.key.ranks, row.key.nodes}];
      if (launches.empty() || launches.back().file != file) launches.push_back({file});
      launches.back().rows.push_back(&row);
    }
  }
  return families;
}

// ---- latency and bandwidth at one count

double relative_error(const SizeTime& point, const std::vector<statistics::LatencyFit>& pieces) {
  const statistics::LatencyFit* piece = &pieces.front();
  for (const statistics::LatencyFit& other : pieces) {
    if (other.from_size <= point.size) piece = &other;
  }
  return std::abs(point.time / (piece->latency + point.size / piece->bandwidth) - 1);
}

std::optional<LinkFit> link_of(const std::vector<Launch>& launches) {
  std::vector<SizeTime> points;
  std::set<double> sizes;
  const Record* smallest = nullptr;
  for (const Launch& launch : launches) {
    for (const Record* row : launch.rows) {
      if (!is_measured(*row)) continue;
      points.push_back({static_cast<double>(row->key.message_bytes), row->timing->median_s});
      sizes.insert(points.back().size);
      if (!smallest || row->key.message_bytes < smallest->key.message_bytes) smallest = row;
    }
  }
  if (sizes.size() < 2) return std::nullopt;
  std::stable_sort(points.begin(), points.end(),
                   [](const SizeTime& a, const SizeTime& b) { return a.size < b.size; });
  LinkFit fit;
  fit.key = smallest->key;
  fit.pieces = statistics::fit_latency_pieces(points);
  std::vector<double> errors;
  for (const SizeTime& point : points) errors.push_back(relative_error(point, fit.pieces));
  fit.median_error = statistics::median(errors);
  fit.adequate = fit.median_error <= kAdequateError;
  return fit;
}

// ---- over counts

/// By count of ranks; where one was measured on several numbers of hosts, on the fewest.
using Counts = std::map<int, std::pair<Placement, const std::vector<Launch>*>>;

Counts counts_of(const Family& family) {
  Counts counts;
  for (const auto& [placement, launches] : family.launches) {
    counts.try_emplace(placement.ranks, placement, &launches);
  }
  return counts;
}

std::set<Bytes> measured_sizes(const std::vector<Launch>& launches) {
  std::set<Bytes> sizes;
  for (const Launch& launch : launches) {
    for (const Record* row : launch.rows) {
      if (is_measured(*row)) sizes.insert(row->requested_bytes);
    }
  }
  return sizes;
}

/// The sizes that were asked for and measured at all counts.
std::set<Bytes> common_sizes(const Counts& counts) {
  std::set<Bytes> common = measured_sizes(*counts.begin()->second.second);
  for (const auto& [ranks, count] : counts) {
    const std::set<Bytes> sizes = measured_sizes(*count.second);
    std::erase_if(common, [&](Bytes size) { return sizes.count(size) == 0; });
  }
  return common;
}

Rows rows_of_size(const std::vector<Launch>& launches, Bytes size) {
  Rows rows;
  for (const Launch& launch : launches) {
    std::copy_if(
        launch.rows.begin(), launch.rows.end(), std::back_inserter(rows),
        [&](const Record* row) { return is_measured(*row) && row->requested_bytes == size; });
  }
  return rows;
}

/// Only what a plateau is found by: rows have many samples.
Record bandwidth_of(const Record& row) {
  Record part;
  part.key.message_bytes = row.key.message_bytes;
  part.status = row.status;
  part.bus_bandwidth_Bps = row.bus_bandwidth_Bps;
  return part;
}

/// The median of the launches', over these sizes: a plateau of larger ones may well be higher.
std::optional<double> plateau_of(const std::vector<Launch>& launches,
                                 const std::set<Bytes>& sizes) {
  std::vector<double> rates_Bps;
  for (const Launch& launch : launches) {
    std::vector<Record> rows;
    for (const Record* row : launch.rows) {
      if (sizes.count(row->requested_bytes) > 0) rows.push_back(bandwidth_of(*row));
    }
    if (const auto reached = plateau(rows)) rates_Bps.push_back(reached->bus_bandwidth_Bps);
  }
  return rates_Bps.empty() ? std::nullopt : std::optional(statistics::median(rates_Bps));
}

std::vector<std::string> flags_of_any(const std::vector<Launch>& launches) {
  std::set<std::string> flags;
  for (const Launch& launch : launches) {
    for (const Record* row : launch.rows) flags.insert(row->flags.begin(), row->flags.end());
  }
  return {flags.begin(), flags.end()};
}

RowCurvePoint point_of(const Placement& placement, const std::vector<Launch>& launches,
                       const std::set<Bytes>& sizes) {
  std::vector<double> times_s;
  for (const Record* row : rows_of_size(launches, *sizes.begin())) {
    times_s.push_back(row->timing->median_s);
  }
  RowCurvePoint point;
  point.ranks = placement.ranks;
  point.nodes = placement.nodes;
  point.launches = launches.size();
  point.latency_s = statistics::median(times_s);
  point.plateau_Bps = plateau_of(launches, sizes);
  point.flags = flags_of_any(launches);
  return point;
}

void add_retention(RowCurve& curve, const RowCurvePoint& base) {
  for (RowCurvePoint& point : curve.points) {
    if (point.plateau_Bps && base.plateau_Bps && *base.plateau_Bps > 0) {
      point.plateau_retention = *point.plateau_Bps / *base.plateau_Bps;
    }
  }
}

std::optional<statistics::GrowthFit> growth_of(const RowCurve& curve) {
  std::vector<statistics::RanksTime> points;
  for (const RowCurvePoint& point : curve.points) {
    points.push_back({static_cast<double>(point.ranks), point.latency_s});
  }
  return statistics::fit_growth(points);
}

class RowCurves {
 public:
  RowCurves(std::optional<int> base_ranks, ScalingStudy& study)
      : base_ranks_(base_ranks), study_(study) {}

  void add(const Family& family) {
    for (const auto& [placement, launches] : family.launches) {
      say_what_is_not_measured(family, placement, launches);
      if (auto link = link_of(launches)) study_.links.push_back(std::move(*link));
    }
    add_curve(family);
  }

 private:
  void leave_out(const Family& family, std::optional<int> ranks, std::string reason) {
    study_.left_out.push_back({family.key.collective, ranks, std::move(reason)});
  }

  void say_what_is_not_measured(const Family& family, const Placement& placement,
                                const std::vector<Launch>& launches) {
    std::size_t all = 0, measured = 0;
    for (const Launch& launch : launches) {
      all += launch.rows.size();
      for (const Record* row : launch.rows) measured += is_measured(*row);
    }
    if (measured == all) return;
    leave_out(family, placement.ranks,
              fmt::format("{} of {} rows: wrong, skipped or failed", all - measured, all));
  }

  void add_curve(const Family& family) {
    const Counts counts = counts_of(family);
    for (const auto& [placement, launches] : family.launches) {
      const Placement& used = counts.at(placement.ranks).first;
      if (placement.nodes != used.nodes) {
        leave_out(family, placement.ranks,
                  fmt::format("on {} hosts; those on {} count", placement.nodes, used.nodes));
      }
    }
    if (counts.size() < 2) {
      return leave_out(family, counts.begin()->first,
                       "nothing to compare with: no other count of two ranks or more");
    }
    const std::set<Bytes> sizes = common_sizes(counts);
    if (sizes.empty()) return leave_out(family, std::nullopt, "no size was measured at all counts");
    const auto base = base_ranks_ ? counts.find(*base_ranks_) : counts.begin();
    if (base == counts.end()) {
      return leave_out(family, std::nullopt,
                       fmt::format("the base of {} ranks was not measured", *base_ranks_));
    }
    RowCurve curve;
    curve.key = rows_of_size(*base->second.second, *sizes.begin()).front()->key;
    curve.base_ranks = base->first;
    curve.latency_bytes = *sizes.begin();
    for (const auto& [ranks, count] : counts) {
      curve.points.push_back(point_of(count.first, *count.second, sizes));
    }
    add_retention(curve, point_of(base->second.first, *base->second.second, sizes));
    curve.growth = growth_of(curve);
    study_.rows.push_back(std::move(curve));
  }

  std::optional<int> base_ranks_;
  ScalingStudy& study_;
};

}  // namespace

bool crosses_links(const RowKey& key) {
  return !key.in_place && key.ranks > 1 && key.message_bytes > 0;
}

bool is_measured(const Record& row) {
  return row.status == RowStatus::ok && row.timing && row.timing->median_s > 0;
}

void add_row_curves(std::span<const Document* const> documents, std::optional<int> base_ranks,
                    ScalingStudy& study) {
  RowCurves curves(base_ranks, study);
  for (const Family& family : families_of(documents)) curves.add(family);
}

}  // namespace collbench
