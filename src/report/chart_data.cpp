// SPDX-License-Identifier: Apache-2.0
#include "report/chart_data.h"

#include <cmath>

#include "report/escape.h"
#include "results/json_value.h"

namespace collbench::report {
namespace {

const char* name_of(ChartKind kind) {
  switch (kind) {
    case ChartKind::lines:
      return "lines";
    case ChartKind::points:
      return "points";
    case ChartKind::bars:
      return "bars";
    case ChartKind::stacked_bars:
      return "stacked_bars";
    case ChartKind::spans:
      break;
  }
  return "spans";
}

const char* name_of(Scale scale) {
  switch (scale) {
    case Scale::linear:
      return "linear";
    case Scale::bytes:
      return "bytes";
    case Scale::logarithmic:
      return "logarithmic";
    case Scale::doubling:
      return "doubling";
    case Scale::category:
      break;
  }
  return "category";
}

double six_digits(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  // Whole numbers are sizes, which stay what they are.
  if (value == std::floor(value)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 5);
  const double rounded = std::round(value / unit);
  return unit < 1 ? rounded / std::round(1 / unit) : rounded * unit;
}

Json point_json(const Point& point) {
  Json json = {six_digits(point.x), six_digits(point.y)};
  if (point.interval) {
    json.push_back(six_digits(point.interval->low));
    json.push_back(six_digits(point.interval->high));
  }
  return json;
}

Json series_json(const Series& series) {
  Json json = {{"label", readable(series.label)}, {"dashed", series.dashed}};
  json["points"] = Json::array();
  for (const Point& point : series.points) json["points"].push_back(point_json(point));
  if (series.spans.empty()) return json;
  json["spans"] = Json::array();
  for (const Span& span : series.spans) {
    json["spans"].push_back(Json::array(
        {six_digits(span.from), six_digits(span.to), span.category, readable(span.label)}));
  }
  return json;
}

Json axis_json(const Axis& axis) {
  return {{"title", readable(axis.title)}, {"scale", name_of(axis.scale)}};
}

Json chart_json(const Chart& chart) {
  Json json = {{"kind", name_of(chart.kind)},
               {"title", readable(chart.title)},
               {"x", axis_json(chart.x)},
               {"y", axis_json(chart.y)}};
  json["categories"] = Json::array();
  for (const std::string& name : chart.categories) json["categories"].push_back(readable(name));
  json["series"] = Json::array();
  for (const Series& series : chart.series) json["series"].push_back(series_json(series));
  return json;
}

}  // namespace

std::string chart_data(std::span<const Chart> charts) {
  Json json = Json::array();
  for (const Chart& chart : charts) json.push_back(chart_json(chart));
  return json.dump();
}

}  // namespace collbench::report
