// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/scaling.h"
#include "model/degrees.h"
#include "results/step_parts.h"

namespace collbench {
namespace {

using Steps = std::vector<const StepRecord*>;
using Scheme = std::map<std::string, std::string>;

std::string name_of_steps(const StepKey& key) {
  return fmt::format("{} of {}", key.pattern, key.model);
}

// ---- which steps make a curve

/// What must be equal of all steps of a curve along an axis. Their schemes are looked at apart:
/// choices about an axis are named only where that has several ranks. Data parallelism either
/// leaves each pipeline its micro-batches, or divides those of the step.
StepKey without(const model::Degree& axis, bool weak, StepKey key) {
  key.ranks = key.nodes = 0;
  key.layout.*axis.of = 0;
  key.scheme.clear();
  if (!weak) key.step.micro_batches = 0;
  return key;
}

struct Family {
  StepKey key;
  Count tokens;  // 0 for weak scaling
  Steps steps;
};

std::vector<Family> families(const Steps& steps, const model::Degree& axis, bool weak) {
  std::vector<Family> all;
  for (const StepRecord* step : steps) {
    const StepKey key = without(axis, weak, step->key);
    const Count tokens = weak ? 0 : step->tokens;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Family& family) {
      return family.tokens == tokens && family.key == key;
    });
    Family& family = found == all.end() ? all.emplace_back(Family{key, tokens, {}}) : *found;
    family.steps.push_back(step);
  }
  return all;
}

bool contains(const Scheme& all, const Scheme& part) {
  return std::includes(all.begin(), all.end(), part.begin(), part.end());
}

/// A curve for each scheme that no other says more of; what says less, having fewer axes, is on
/// all.
std::vector<Steps> by_scheme(const Steps& steps) {
  std::set<Scheme> schemes;
  for (const StepRecord* step : steps) schemes.insert(step->key.scheme);
  std::vector<Steps> all;
  for (const Scheme& scheme : schemes) {
    const bool is_part = std::any_of(schemes.begin(), schemes.end(), [&](const Scheme& other) {
      return other != scheme && contains(other, scheme);
    });
    if (is_part) continue;
    Steps& own = all.emplace_back();
    std::copy_if(steps.begin(), steps.end(), std::back_inserter(own),
                 [&](const StepRecord* step) { return contains(scheme, step->key.scheme); });
  }
  return all;
}

// ---- from steps to points

struct Counts {
  std::map<int, Steps> by_ranks;

  /// Where a count was measured on several numbers of hosts, those on the fewest.
  explicit Counts(const Steps& steps) {
    std::map<int, int> nodes;
    for (const StepRecord* step : steps) {
      const auto [known, is_new] = nodes.emplace(step->key.ranks, step->key.nodes);
      if (!is_new) known->second = std::min(known->second, step->key.nodes);
    }
    for (const StepRecord* step : steps) {
      if (step->key.nodes == nodes.at(step->key.ranks)) by_ranks[step->key.ranks].push_back(step);
    }
  }
};

double median_of(const Steps& steps, double (*value)(const StepRecord&)) {
  std::vector<double> values;
  for (const StepRecord* step : steps) values.push_back(value(*step));
  return statistics::median(values);
}

std::optional<double> median_exposed_share(const Steps& steps) {
  std::vector<double> shares;
  for (const StepRecord* step : steps) {
    if (const auto share = exposed_share(*step)) shares.push_back(*share);
  }
  return shares.empty() ? std::nullopt : std::optional(statistics::median(shares));
}

std::vector<std::string> flags_of_any(const Steps& steps) {
  std::set<std::string> flags;
  for (const StepRecord* step : steps) flags.insert(step->flags.begin(), step->flags.end());
  return {flags.begin(), flags.end()};
}

StepCurvePoint point_of(const Steps& launches, const model::Degree& axis) {
  const StepRecord& first = *launches.front();
  StepCurvePoint point;
  point.ranks = first.key.ranks;
  point.nodes = first.key.nodes;
  point.degree = first.key.layout.*axis.of;
  point.launches = launches.size();
  point.step_s = median_of(launches, [](const StepRecord& step) { return step.step->median_s; });
  point.tokens = first.tokens;
  point.tokens_per_s = static_cast<double>(point.tokens) / point.step_s;
  point.exposed_share = median_exposed_share(launches);
  point.flags = flags_of_any(launches);
  return point;
}

double karp_flatt(double speedup, double times_ranks) {
  return (1 / speedup - 1 / times_ranks) / (1 - 1 / times_ranks);
}

void compare_with_base(StepCurve& curve, const StepCurvePoint& base) {
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    StepCurvePoint& point = curve.points[i];
    point.speedup = point.tokens_per_s / base.tokens_per_s;
    point.efficiency = scaling_efficiency(point, base);
    if (i > 0) point.marginal_efficiency = scaling_efficiency(point, curve.points[i - 1]);
    if (curve.weak || point.ranks <= base.ranks) continue;
    point.karp_flatt = karp_flatt(point.speedup, static_cast<double>(point.ranks) / base.ranks);
  }
}

// ---- laws

void add_laws(StepCurve& curve) {
  std::vector<statistics::RanksThroughput> points;
  for (const StepCurvePoint& point : curve.points) {
    points.push_back({static_cast<double>(point.ranks), point.tokens_per_s});
  }
  for (const statistics::LawKind kind :
       {statistics::LawKind::amdahl, statistics::LawKind::universal}) {
    // Amdahl's law is of work that stays as it is.
    if (curve.weak && kind == statistics::LawKind::amdahl) continue;
    const auto law = statistics::fit_scaling(kind, points);
    if (!law) continue;
    CurveLaw fitted = {*law, law->median_error <= kAdequateError};
    if (fitted.adequate) {
      const int ranks = 2 * curve.points.back().ranks;
      fitted.beyond = {ranks, law->throughput(ranks),
                       statistics::throughput_without_one(points, *law, ranks)};
    }
    curve.laws.push_back(std::move(fitted));
  }
}

// ---- all curves

class StepCurves {
 public:
  StepCurves(std::optional<int> base_ranks, ScalingStudy& study)
      : base_ranks_(base_ranks), study_(study) {}

  void add(const Steps& steps) {
    for (const model::Degree& axis : model::kDegrees) {
      const bool divides_micro_batches = axis.of == &model::Layout::dp;
      if (divides_micro_batches) add(steps, axis, /*weak=*/true);
      add(steps, axis, /*weak=*/false);
    }
    for (const StepRecord* step : steps) {
      if (on_a_curve_.count(step) == 0) {
        leave_out(*step,
                  "nothing to compare with: no other count of ranks differs in one axis only");
      }
    }
  }

  void leave_out(const StepRecord& step, std::string reason) {
    study_.left_out.push_back({name_of_steps(step.key), step.key.ranks, std::move(reason)});
  }

 private:
  void add(const Steps& steps, const model::Degree& axis, bool weak) {
    for (const Family& family : families(steps, axis, weak)) {
      for (const Steps& own : by_scheme(family.steps)) add_curve(own, axis, weak);
    }
  }

  void add_curve(const Steps& steps, const model::Degree& axis, bool weak) {
    const Counts counts(steps);
    if (counts.by_ranks.size() < 2) return;
    on_a_curve_.insert(steps.begin(), steps.end());
    const auto base = base_ranks_ ? counts.by_ranks.find(*base_ranks_) : counts.by_ranks.begin();
    if (base == counts.by_ranks.end()) {
      study_.left_out.push_back(
          {name_of_steps(steps.front()->key), std::nullopt,
           fmt::format("the base of {} ranks was not measured", *base_ranks_)});
      return;
    }
    StepCurve curve;
    curve.key = base->second.front()->key;
    curve.axis = axis.name;
    curve.weak = weak;
    curve.base_ranks = base->first;
    for (const auto& [ranks, launches] : counts.by_ranks) {
      curve.points.push_back(point_of(launches, axis));
    }
    compare_with_base(curve, point_of(base->second, axis));
    add_laws(curve);
    study_.steps.push_back(std::move(curve));
    note_other_hosts(steps, counts);
  }

  void note_other_hosts(const Steps& steps, const Counts& counts) {
    for (const StepRecord* step : steps) {
      const int nodes = counts.by_ranks.at(step->key.ranks).front()->key.nodes;
      if (step->key.nodes == nodes) continue;
      leave_out(*step, fmt::format("on {} hosts; those on {} count", step->key.nodes, nodes));
    }
  }

  std::optional<int> base_ranks_;
  ScalingStudy& study_;
  std::set<const StepRecord*> on_a_curve_;
};

}  // namespace

void add_step_curves(std::span<const Document* const> documents, std::optional<int> base_ranks,
                     ScalingStudy& study) {
  StepCurves curves(base_ranks, study);
  Steps steps;
  for (const Document* document : documents) {
    for (const StepRecord& step : document->steps) {
      const bool counts =
          step.status == RowStatus::ok && step.step && step.step->median_s > 0 && step.tokens > 0;
      if (counts) {
        steps.push_back(&step);
      } else {
        curves.leave_out(step, fmt::format("{}: {}", name_of(step.status), step.reason));
      }
    }
  }
  curves.add(steps);
}

}  // namespace collbench
