// SPDX-License-Identifier: Apache-2.0
#include "report/scaling_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/bytes.h"
#include "base/counted.h"
#include "base/one_line.h"
#include "results/table.h"

namespace collbench {
namespace {

using statistics::ScalingLaw;

std::string cell(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "N/A";
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string flags_line(int ranks, const std::vector<std::string>& flags) {
  if (flags.empty()) return "";
  return comment_line(
      fmt::format("  {}: {}", counted(ranks, "rank"), fmt::format("{}", fmt::join(flags, " "))));
}

/// What is no whole step is never on a curve with what is.
std::string part_of(const StepKey& key) {
  std::string text;
  if (key.layers) text += fmt::format(", {} of the model only", counted(*key.layers, "layer"));
  if (key.shrink) text += fmt::format(", messages and computing divided by {}", *key.shrink);
  return text;
}

// ---- laws

std::string_view name_of(statistics::LawKind kind) {
  return kind == statistics::LawKind::amdahl ? "Amdahl's law" : "universal law";
}

std::string range(const statistics::Interval& interval) {
  return fmt::format("{:.3g} to {:.3g} without one count", interval.low, interval.high);
}

std::string fit_text(const CurveLaw& fitted) {
  const ScalingLaw& law = fitted.law;
  const bool universal = law.kind == statistics::LawKind::universal;
  std::string text =
      fmt::format("{}: contention {:.3g} ({})", universal ? "universal law" : "Amdahl's law",
                  law.contention, range(law.contention_without_one));
  if (universal) {
    text += fmt::format(", coherency {:.3g} ({})", law.coherency, range(law.coherency_without_one));
    if (const auto best = law.best_ranks()) text += fmt::format(", most at {:.0f} ranks", *best);
  }
  text += fmt::format("; median error {}", percent(law.median_error));
  return text + (fitted.adequate ? "" : ": the model is not adequate");
}

std::string beyond_text(const Extrapolation& beyond) {
  return fmt::format(
      "extrapolated, not measured: {} ranks {:.0f} tokens/s ({:.0f} to {:.0f} without one count)",
      beyond.ranks, beyond.tokens_per_s, beyond.without_one_tokens_per_s.low,
      beyond.without_one_tokens_per_s.high);
}

std::string law_text(const StepCurve& curve, statistics::LawKind kind) {
  for (const CurveLaw& fitted : curve.laws) {
    if (fitted.law.kind != kind) continue;
    const std::string beyond =
        fitted.beyond ? comment_line("  " + beyond_text(*fitted.beyond)) : std::string();
    return comment_line(fit_text(fitted)) + beyond;
  }
  if (curve.weak && kind == statistics::LawKind::amdahl) {
    return comment_line(fmt::format("no {}: it is of strong scaling", name_of(kind)));
  }
  return comment_line(
      fmt::format("no {}: it takes {} counts", name_of(kind), statistics::least_points(kind)));
}

// ---- steps

std::string point_line(const StepCurvePoint& point) {
  return fmt::format(
      "    {:>6}{:>7}{:>9}{:>14.4f}{:>14.0f}{:>10.3f}{:>12.3f}{:>10}{:>12}{:>10}{}\n", point.ranks,
      point.nodes, point.launches, point.step_s * 1e3, point.tokens_per_s, point.speedup,
      point.efficiency, cell(point.marginal_efficiency, 3), cell(point.karp_flatt, 3),
      cell(point.exposed_share, 3), point.efficiency > kSuperlinear ? "  superlinear" : "");
}

bool is_superlinear(const StepCurve& curve) {
  for (const StepCurvePoint& point : curve.points) {
    if (point.efficiency > kSuperlinear) return true;
  }
  return false;
}

std::string curve_text(const StepCurve& curve) {
  std::string text =
      "#\n" +
      comment_line(fmt::format("{} of {}{}: {} scaling over {}, base {}", curve.key.pattern,
                               curve.key.model, part_of(curve.key), curve.weak ? "weak" : "strong",
                               curve.axis, counted(curve.base_ranks, "rank")));
  text += fmt::format("#   {:>6}{:>7}{:>9}{:>14}{:>14}{:>10}{:>12}{:>10}{:>12}{:>10}\n", "ranks",
                      "hosts", "launches", "step (ms)", "tokens/s", "speedup", "efficiency",
                      "marginal", "Karp-Flatt", "exposed");
  for (const StepCurvePoint& point : curve.points) text += point_line(point);
  if (is_superlinear(curve)) {
    text += comment_line(
        "superlinear: no achievement; look whether the base was held up (its flags, its memory), "
        "or "
        "whether only the larger counts fit into a cache");
  }
  for (const StepCurvePoint& point : curve.points) text += flags_line(point.ranks, point.flags);
  return text + law_text(curve, statistics::LawKind::amdahl) +
         law_text(curve, statistics::LawKind::universal);
}

// ---- collectives

/// What to know of a form of growth before relying on it.
std::string growth_caveat(const statistics::GrowthFit& growth) {
  constexpr double kClear = 2;
  if (growth.median_error > kAdequateError) return ": the model is not adequate";
  if (!growth.criterion_lead) return "; too few counts to tell the form for certain";
  return *growth.criterion_lead < kClear ? "; the other form fits as well" : "";
}

std::string growth_line(const std::optional<statistics::GrowthFit>& growth) {
  if (!growth) {
    return comment_line(
        fmt::format("no form of growth: it takes {} counts", statistics::kLeastGrowthPoints));
  }
  return comment_line(describe(*growth));
}

std::string curve_text(const RowCurve& curve) {
  std::string text =
      "#\n" + comment_line(fmt::format(
                  "{} {}: latency of {}, bus bandwidth of the plateau, base {}",
                  one_line(curve.key.collective), name_of(curve.key.type),
                  format_bytes(curve.latency_bytes), counted(curve.base_ranks, "rank")));
  text += fmt::format("#   {:>6}{:>7}{:>9}{:>14}{:>18}{:>12}\n", "ranks", "hosts", "launches",
                      "latency (us)", "plateau (GB/s)", "retention");
  for (const RowCurvePoint& point : curve.points) {
    const auto plateau_GBps =
        point.plateau_Bps ? std::optional(*point.plateau_Bps * 1e-9) : std::nullopt;
    text += fmt::format("    {:>6}{:>7}{:>9}{:>14.2f}{:>18}{:>12}\n", point.ranks, point.nodes,
                        point.launches, point.latency_s * 1e6, cell(plateau_GBps, 3),
                        cell(point.plateau_retention, 3));
  }
  for (const RowCurvePoint& point : curve.points) text += flags_line(point.ranks, point.flags);
  return text + growth_line(curve.growth);
}

std::string link_lines(const LinkFit& link) {
  std::string text;
  for (const statistics::LatencyFit& piece : link.pieces) {
    const bool grows = std::isfinite(piece.bandwidth);
    text += fmt::format("    {:<16}{:>6}{:>7}{:>14}{:>14.2f}{:>16}{:>9}{:>9}{}\n",
                        one_line(link.key.collective), link.key.ranks, link.key.nodes,
                        format_bytes(static_cast<Bytes>(piece.from_size)), piece.latency * 1e6,
                        grows ? fmt::format("{:.4g}", piece.bandwidth * 1e-9) : "N/A", piece.points,
                        percent(piece.median_error),
                        link.adequate ? "" : "  model not adequate, do not extrapolate");
  }
  return text;
}

std::string links_text(const std::vector<LinkFit>& links) {
  if (links.empty()) return "";
  std::string text = "#\n" + comment_line("Time = latency + bytes / bandwidth, in pieces by size");
  text += fmt::format("#   {:<16}{:>6}{:>7}{:>14}{:>14}{:>16}{:>9}{:>9}\n", "operation", "ranks",
                      "hosts", "from", "latency (us)", "algbw (GB/s)", "rows", "error");
  for (const LinkFit& link : links) text += link_lines(link);
  return text;
}

std::string gaps_text(const std::vector<StudyGap>& gaps) {
  if (gaps.empty()) return "";
  std::string text = "#\n" + comment_line("Not in it:");
  for (const StudyGap& gap : gaps) {
    const std::string ranks = gap.ranks ? " on " + counted(*gap.ranks, "rank") : "";
    text += comment_line(fmt::format("  {}{}: {}", gap.what, ranks, gap.reason));
  }
  return text;
}

}  // namespace

std::vector<std::string> describe(const CurveLaw& fitted) {
  std::vector<std::string> lines = {fit_text(fitted)};
  if (fitted.beyond) lines.push_back(beyond_text(*fitted.beyond));
  return lines;
}

std::string describe(const statistics::GrowthFit& growth) {
  const bool linear = growth.growth == statistics::Growth::linear;
  return fmt::format("latency (us) = {:.3g} {} {:.3g} {}; median error {}{}", growth.start * 1e6,
                     growth.slope < 0 ? '-' : '+', std::abs(growth.slope) * 1e6,
                     linear ? "N" : "log2 N", percent(growth.median_error), growth_caveat(growth));
}

std::string scaling_text(const ScalingStudy& study) {
  std::string text = comment_line("Scaling");
  for (const StepCurve& curve : study.steps) text += curve_text(curve);
  for (const RowCurve& curve : study.rows) text += curve_text(curve);
  return text + links_text(study.links) + gaps_text(study.left_out);
}

}  // namespace collbench
