// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/counted.h"
#include "report/figures.h"
#include "report/scaling_text.h"
#include "report/sections.h"

namespace collbench::report {
namespace {

template <class Point>
using ValueOf = double (*)(const Point& point);

template <class Curve, class Point>
Series line(std::string label, const Curve& curve, ValueOf<Point> value, bool dashed = false) {
  Series series = {.label = std::move(label), .dashed = dashed};
  for (const Point& point : curve.points) {
    series.points.push_back({static_cast<double>(point.ranks), value(point)});
  }
  return series;
}

Chart chart_over_ranks(std::string title, std::string unit) {
  return {.kind = ChartKind::lines,
          .title = std::move(title),
          .description = {},
          .x = {"ranks", Scale::doubling},
          .y = {std::move(unit)}};
}

std::string optional_percent(const std::optional<double>& share) {
  return share ? percent(*share) : "";
}

// ---- steps

Chart efficiency_chart(const StepCurve& curve) {
  Chart chart = chart_over_ranks("Efficiency", "% of ideal");
  chart.series = {
      line<StepCurve, StepCurvePoint>("measured", curve,
                                      [](const StepCurvePoint& p) { return 100 * p.efficiency; }),
      line<StepCurve, StepCurvePoint>(
          "ideal", curve, [](const StepCurvePoint&) { return 100.0; }, true)};
  const StepCurvePoint& last = curve.points.back();
  chart.description = fmt::format("Efficiency against ranks: {} % on {}.", percent(last.efficiency),
                                  counted(last.ranks, "rank"));
  return chart;
}

/// A law from the base to where it ends, which may be beyond what was measured.
Series law_line(const StepCurve& curve, const CurveLaw& fitted) {
  const bool universal = fitted.law.kind == statistics::LawKind::universal;
  Series series = {.label = universal ? "universal law" : "Amdahl", .dashed = true};
  for (const StepCurvePoint& point : curve.points) {
    const double ranks = point.ranks;
    series.points.push_back({ranks, fitted.law.throughput(ranks)});
  }
  if (fitted.beyond) {
    series.label += ", extrapolated";
    series.points.push_back({static_cast<double>(fitted.beyond->ranks), fitted.beyond->tokens_per_s,
                             fitted.beyond->without_one_tokens_per_s});
  }
  return series;
}

Chart throughput_chart(const StepCurve& curve) {
  Chart chart = chart_over_ranks("Throughput", "tokens/s");
  chart.series.push_back(line<StepCurve, StepCurvePoint>(
      "measured", curve, [](const StepCurvePoint& p) { return p.tokens_per_s; }));
  Series ideal = {.label = "ideal", .dashed = true};
  const StepCurvePoint& base = curve.points.front();
  const double per_rank = base.tokens_per_s / base.efficiency / base.ranks;
  for (const StepCurvePoint& point : curve.points) {
    ideal.points.push_back({static_cast<double>(point.ranks), per_rank * point.ranks});
  }
  chart.series.push_back(std::move(ideal));
  for (const CurveLaw& fitted : curve.laws) {
    if (fitted.adequate) chart.series.push_back(law_line(curve, fitted));
  }
  chart.description =
      "Tokens per second of all ranks against ranks, what it would be if every rank did as much as "
      "at the base, and laws that fit.";
  return chart;
}

Table table_of(const StepCurve& curve) {
  Table table = {.columns = {{"ranks"},
                             {"hosts"},
                             {"launches"},
                             {"step (ms)"},
                             {"tokens/s"},
                             {"efficiency (%)"},
                             {"marginal (%)"},
                             {"Karp-Flatt"},
                             {"exposed (%)"},
                             {"notes", true}},
                 .rows = {}};
  for (const StepCurvePoint& point : curve.points) {
    const bool superlinear = point.efficiency > kSuperlinear;
    std::string notes = superlinear ? "superlinear: look at the base" : "";
    for (const std::string& flag : point.flags) notes += (notes.empty() ? "" : ", ") + flag;
    table.rows.push_back({{fmt::format("{}", point.ranks)},
                          {fmt::format("{}", point.nodes)},
                          {fmt::format("{}", point.launches)},
                          {milliseconds(point.step_s)},
                          {significant(point.tokens_per_s)},
                          {percent(point.efficiency)},
                          {optional_percent(point.marginal_efficiency)},
                          {point.karp_flatt ? significant(*point.karp_flatt) : ""},
                          {optional_percent(point.exposed_share)},
                          {notes, superlinear ? Tone::caution : Tone::plain}});
  }
  return table;
}

std::string title_of(const StepKey& key) {
  std::string title = fmt::format("{} of {}", key.pattern, key.model);
  if (key.layers) title += fmt::format(", {} of the model only", counted(*key.layers, "layer"));
  if (key.shrink) title += fmt::format(", messages and computing divided by {}", *key.shrink);
  return title;
}

Figure figure_of(const StepCurve& curve) {
  Figure figure = {.title = title_of(curve.key)};
  figure.sentences = {
      fmt::format("{} scaling over {}: efficiency is the throughput of a rank as a share of that "
                  "on {}; marginal "
                  "efficiency has the count before as its base.",
                  curve.weak ? "Weak" : "Strong", curve.axis, counted(curve.base_ranks, "rank"))};
  for (const CurveLaw& fitted : curve.laws) {
    for (const std::string& sentence : describe(fitted)) figure.sentences.push_back(sentence);
  }
  figure.charts = {efficiency_chart(curve), throughput_chart(curve)};
  figure.table = table_of(curve);
  return figure;
}

// ---- collectives

Chart latency_chart(const RowCurve& curve) {
  Chart chart = chart_over_ranks("Latency of " + format_bytes(curve.latency_bytes), "us");
  chart.series.push_back(line<RowCurve, RowCurvePoint>(
      "measured", curve, [](const RowCurvePoint& p) { return p.latency_s * 1e6; }));
  if (curve.growth && curve.growth->median_error <= kAdequateError) {
    Series fit = {.label = "fit", .dashed = true};
    for (const RowCurvePoint& point : curve.points) {
      fit.points.push_back(
          {static_cast<double>(point.ranks), curve.growth->time(point.ranks) * 1e6});
    }
    chart.series.push_back(std::move(fit));
  }
  chart.description = fmt::format("{} against ranks.", chart.title);
  return chart;
}

std::optional<Chart> plateau_chart(const RowCurve& curve) {
  Chart chart = chart_over_ranks("Bus bandwidth of large messages", "GB/s");
  Series series = {.label = "plateau"};
  for (const RowCurvePoint& point : curve.points) {
    if (point.plateau_Bps) {
      series.points.push_back({static_cast<double>(point.ranks), *point.plateau_Bps * 1e-9});
    }
  }
  if (series.points.empty()) return std::nullopt;
  chart.series.push_back(std::move(series));
  chart.description = "Median bus bandwidth of the largest sizes against ranks.";
  return chart;
}

Table table_of(const RowCurve& curve) {
  Table table = {.columns = {{"ranks"},
                             {"hosts"},
                             {"launches"},
                             {"latency (us)"},
                             {"plateau (GB/s)"},
                             {"of the base's (%)"},
                             {"notes", true}},
                 .rows = {}};
  for (const RowCurvePoint& point : curve.points) {
    table.rows.push_back({{fmt::format("{}", point.ranks)},
                          {fmt::format("{}", point.nodes)},
                          {fmt::format("{}", point.launches)},
                          {microseconds(point.latency_s)},
                          {GB_per_s(point.plateau_Bps)},
                          {optional_percent(point.plateau_retention)},
                          {fmt::format("{}", fmt::join(point.flags, ", "))}});
  }
  return table;
}

Figure figure_of(const RowCurve& curve) {
  Figure figure = {.title = fmt::format("{}, {}", curve.key.collective, name_of(curve.key.type))};
  if (curve.growth) figure.sentences = {describe(*curve.growth)};
  figure.charts.push_back(latency_chart(curve));
  if (auto chart = plateau_chart(curve)) figure.charts.push_back(std::move(*chart));
  figure.table = table_of(curve);
  return figure;
}

}  // namespace

std::optional<Section> scaling_section(std::span<const Run> runs) {
  std::vector<const Document*> documents;
  for (const Run& run : runs) documents.push_back(&run.document);
  const ScalingStudy study = study_scaling(documents);
  if (study.steps.empty() && study.rows.empty()) return std::nullopt;
  Section section = {.id = "scaling", .title = "Scaling with the number of ranks"};
  for (const StepCurve& curve : study.steps) section.figures.push_back(figure_of(curve));
  for (const RowCurve& curve : study.rows) section.figures.push_back(figure_of(curve));
  return section;
}

}  // namespace collbench::report
