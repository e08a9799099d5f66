// SPDX-License-Identifier: Apache-2.0
#include "report/scaling_json.h"

#include <fmt/format.h>

#include <cmath>

#include "results/json_value.h"
#include "results/json_write_parts.h"
#include "results/units.h"

namespace collbench {
namespace {

/// Six digits of what may be very small.
double digits(double value) { return std::stod(fmt::format("{:.6g}", value)); }

Json interval_json(const statistics::Interval& interval) {
  return {{"low", digits(interval.low)}, {"high", digits(interval.high)}};
}

template <class T>
void add_rounded(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = rounded(*value);
}

// ---- steps

Json point_json(const StepCurvePoint& point) {
  Json json = {{"ranks", point.ranks},
               {"nodes", point.nodes},
               {"degree", point.degree},
               {"launches", point.launches},
               {"step_us", us_from_s(point.step_s)},
               {"tokens", point.tokens},
               {"tokens_per_s", rounded(point.tokens_per_s)},
               {"speedup", rounded(point.speedup)},
               {"efficiency", rounded(point.efficiency)}};
  add_rounded(json, "marginal_efficiency", point.marginal_efficiency);
  add_rounded(json, "karp_flatt", point.karp_flatt);
  add_rounded(json, "exposed_share", point.exposed_share);
  json["superlinear"] = point.efficiency > kSuperlinear;
  json["flags"] = point.flags;
  return json;
}

Json extrapolation_json(const Extrapolation& beyond) {
  return {{"extrapolated", true},
          {"ranks", beyond.ranks},
          {"tokens_per_s", rounded(beyond.tokens_per_s)},
          {"tokens_per_s_without_one", interval_json(beyond.without_one_tokens_per_s)}};
}

Json law_json(const CurveLaw& fitted) {
  const statistics::ScalingLaw& law = fitted.law;
  const bool universal = law.kind == statistics::LawKind::universal;
  Json json = {{"law", universal ? "universal" : "amdahl"},
               {"points", law.points},
               {"single_tokens_per_s", rounded(law.single)},
               {"contention", digits(law.contention)},
               {"contention_without_one", interval_json(law.contention_without_one)}};
  if (universal) {
    json["coherency"] = digits(law.coherency);
    json["coherency_without_one"] = interval_json(law.coherency_without_one);
    if (const auto best = law.best_ranks()) json["best_ranks"] = digits(*best);
  }
  json["median_error"] = rounded(law.median_error);
  json["adequate"] = fitted.adequate;
  if (fitted.beyond) json["beyond"] = extrapolation_json(*fitted.beyond);
  return json;
}

Json curve_json(const StepCurve& curve) {
  Json json = {
      {"base", step_key_json(curve.key)}, {"axis", curve.axis},      {"weak", curve.weak},
      {"base_ranks", curve.base_ranks},   {"points", Json::array()}, {"laws", Json::array()}};
  for (const StepCurvePoint& point : curve.points) json["points"].push_back(point_json(point));
  for (const CurveLaw& law : curve.laws) json["laws"].push_back(law_json(law));
  return json;
}

// ---- collectives

Json point_json(const RowCurvePoint& point) {
  Json json = {{"ranks", point.ranks},
               {"nodes", point.nodes},
               {"launches", point.launches},
               {"latency_us", us_from_s(point.latency_s)}};
  if (point.plateau_Bps) json["plateau_busbw_GBps"] = digits(GBps_from_Bps(*point.plateau_Bps));
  add_rounded(json, "plateau_retention", point.plateau_retention);
  json["flags"] = point.flags;
  return json;
}

Json growth_json(const statistics::GrowthFit& growth) {
  const bool linear = growth.growth == statistics::Growth::linear;
  Json json = {{"form", linear ? "linear" : "logarithmic"},
               {"points", growth.points},
               {"start_us", digits(growth.start * 1e6)},
               {"slope_us", digits(growth.slope * 1e6)},
               {"median_error", rounded(growth.median_error)},
               {"adequate", growth.median_error <= kAdequateError}};
  if (growth.criterion_lead) json["aicc_lead"] = digits(*growth.criterion_lead);
  return json;
}

Json curve_json(const RowCurve& curve) {
  Json json = {{"base", row_key_json(curve.key)},
               {"base_ranks", curve.base_ranks},
               {"latency_bytes", curve.latency_bytes},
               {"points", Json::array()}};
  for (const RowCurvePoint& point : curve.points) json["points"].push_back(point_json(point));
  if (curve.growth) json["growth"] = growth_json(*curve.growth);
  return json;
}

/// A bandwidth is null where times do not grow with the size.
Json piece_json(const statistics::LatencyFit& piece) {
  return {{"from_bytes", static_cast<Bytes>(piece.from_size)},
          {"latency_us", digits(piece.latency * 1e6)},
          {"algbw_GBps",
           std::isfinite(piece.bandwidth) ? Json(digits(piece.bandwidth * 1e-9)) : Json(nullptr)},
          {"median_error", rounded(piece.median_error)},
          {"rows", piece.points}};
}

Json link_json(const LinkFit& link) {
  Json json = {{"smallest", row_key_json(link.key)}, {"pieces", Json::array()}};
  for (const statistics::LatencyFit& piece : link.pieces) {
    json["pieces"].push_back(piece_json(piece));
  }
  json["median_error"] = rounded(link.median_error);
  json["adequate"] = link.adequate;
  return json;
}

Json gap_json(const StudyGap& gap) {
  Json json = {{"what", gap.what}};
  add(json, "ranks", gap.ranks);
  json["reason"] = gap.reason;
  return json;
}

template <class List, class ToJson>
Json list_json(const List& list, ToJson to_json) {
  Json json = Json::array();
  for (const auto& element : list) json.push_back(to_json(element));
  return json;
}

}  // namespace

std::string scaling_json_text(const ScalingStudy& study) {
  const Json json = {
      {"schema", kScalingSchemaName},
      {"schema_version", kScalingSchemaVersion},
      {"steps", list_json(study.steps, [](const StepCurve& curve) { return curve_json(curve); })},
      {"collectives",
       list_json(study.rows, [](const RowCurve& curve) { return curve_json(curve); })},
      {"links", list_json(study.links, link_json)},
      {"left_out", list_json(study.left_out, gap_json)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace collbench
