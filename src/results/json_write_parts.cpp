// SPDX-License-Identifier: Apache-2.0
#include "results/json_write_parts.h"

#include <cmath>
#include <stdexcept>

#include "results/units.h"
#include "statistics/description.h"

namespace collbench {

std::vector<double> in_us(const std::vector<double>& seconds) {
  std::vector<double> us;
  us.reserve(seconds.size());
  for (const double s : seconds) us.push_back(us_from_s(s));
  return us;
}

double rounded(double value) { return std::nearbyint(value * 1e6) / 1e6; }

Json time_us(const std::vector<double>& samples_s, double median_s,
             const std::optional<statistics::Interval>& interval95_s) {
  if (samples_s.empty()) throw std::logic_error("a row has a timing without samples");
  const statistics::Description d = statistics::describe(in_us(samples_s));
  Json time = {{"n", d.n}, {"median", us_from_s(median_s)}};
  if (interval95_s) time["ci95"] = {us_from_s(interval95_s->low), us_from_s(interval95_s->high)};
  time["min"] = d.min;
  time["q1"] = rounded(d.q1);
  time["mean"] = rounded(d.mean);
  time["q3"] = rounded(d.q3);
  if (d.p95) time["p95"] = rounded(*d.p95);
  if (d.p99) time["p99"] = rounded(*d.p99);
  time["max"] = d.max;
  return time;
}

Json series_json(const TimeSeries& series) {
  return {{"time_us", time_us(series.samples_s, series.median_s, series.interval95_s)},
          {"samples_us", in_us(series.samples_s)}};
}

void add_bandwidth(Json& object, const char* key, bool measured,
                   const std::optional<double>& rate_Bps) {
  if (rate_Bps) {
    object[key] = GBps_from_Bps(*rate_Bps);
  } else if (measured) {
    object[key] = nullptr;
  }
}

Json check_json(const DataCheck& check) {
  Json json = {{"checked_elements", check.checked_elements},
               {"wrong_elements", check.wrong_elements}};
  add(json, "first_wrong", check.first_wrong);
  return json;
}

}  // namespace collbench
