// SPDX-License-Identifier: Apache-2.0
// `collbench fit`: latency and bandwidth of what was measured, in the lines that predictions read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/row_curves.h"
#include "base/one_line.h"
#include "import/result_set.h"
#include "plan/link_model.h"
#include "results/step_parts.h"
#include "statistics/latency_fit.h"
#include "tools/commands.h"

namespace collbench {
namespace {

using statistics::LatencyFit;
using statistics::SizeTime;

using Group = std::tuple<std::string, int, int>;  // operation, ranks, nodes
using Sweeps = std::map<Group, std::vector<SizeTime>>;

void collect_rows(const Document& document, Sweeps& sweeps) {
  for (const Record& row : document.rows) {
    const RowKey& key = row.key;
    if (!is_measured(row) || !crosses_links(key)) continue;
    sweeps[{key.collective, key.ranks, key.nodes}].push_back(
        {static_cast<double>(key.message_bytes), row.timing->median_s});
  }
}

/// On how many hosts the groups of an axis lie; absent where they differ, or nobody knows.
std::optional<int> nodes_of(const StepKey& key, model::Axis axis, const Environment& environment) {
  if (key.nodes == 1) return 1;
  if (environment.ranks.size() < static_cast<std::size_t>(key.ranks)) return std::nullopt;
  std::set<std::size_t> counts;
  for (const std::vector<int>& group : model::groups(key.layout, axis)) {
    std::set<int> hosts;
    for (const int rank : group) {
      hosts.insert(environment.ranks[static_cast<std::size_t>(rank)].host);
    }
    counts.insert(hosts.size());
  }
  if (counts.size() != 1) return std::nullopt;
  return static_cast<int>(*counts.begin());
}

/// What steps send, measured alone: the buffers are those of the step, and as warm as there.
void collect_messages(const StepRecord& step, const Environment& environment, Sweeps& sweeps) {
  if (step.status != RowStatus::ok) return;
  for (const StepMessage& message : step.messages) {
    const std::optional<int> nodes = nodes_of(step.key, message.axis, environment);
    const auto operation = operation_of(message);
    const bool counts = nodes && operation && message.time_s && *message.time_s > 0 &&
                        message.message_bytes > 0 && message.group_size > 1;
    if (!counts) continue;
    sweeps[{std::string(traffic::row_of(*operation).name), message.group_size, *nodes}].push_back(
        {static_cast<double>(message.message_bytes), *message.time_s});
  }
}

void collect(const Document& document, Sweeps& sweeps) {
  collect_rows(document, sweeps);
  for (const StepRecord& step : document.steps) {
    collect_messages(step, document.environment, sweeps);
  }
}

const traffic::Traffic* find_operation(const std::string& name) {
  const auto found = std::find_if(traffic::kAll.begin(), traffic::kAll.end(),
                                  [&](const traffic::Traffic& row) { return row.name == name; });
  return found == traffic::kAll.end() ? nullptr : &*found;
}

plan::MeasuredLink link_of(const traffic::Traffic& row, const Group& group, const LatencyFit& fit,
                           bool is_first) {
  constexpr double kMost_Bps = 1e15;  // of times that do not grow with the size
  return {.operation = row.collective,
          .ranks = std::get<1>(group),
          .nodes = std::get<2>(group),
          .from_bytes = is_first ? 0 : static_cast<Bytes>(fit.from_size),
          .latency_s = fit.latency,
          .bandwidth_Bps = std::min(fit.bandwidth, kMost_Bps)};
}

bool has_two_sizes(const std::vector<SizeTime>& points) {
  std::set<double> sizes;
  for (const SizeTime& point : points) sizes.insert(point.size);
  return sizes.size() > 1;
}

/// Lines of one sweep, or a comment that says why there are none.
std::string fit_lines(const Group& group, std::vector<SizeTime> points) {
  const auto& [name, ranks, nodes] = group;
  const traffic::Traffic* row = find_operation(name);
  if (row == nullptr || !has_two_sizes(points)) {
    return fmt::format("# {} ranks {} nodes {}: {}\n", one_line(name), ranks, nodes,
                       row == nullptr ? "not an operation that is known here"
                                      : "one size says nothing of latency and bandwidth");
  }
  std::sort(points.begin(), points.end(),
            [](const SizeTime& a, const SizeTime& b) { return a.size < b.size; });
  constexpr double kPoor = 0.1;
  std::string text;
  for (const LatencyFit& fit : statistics::fit_latency_pieces(points)) {
    if (!std::isfinite(fit.latency) || std::isnan(fit.bandwidth)) {
      return fmt::format("# {} ranks {} nodes {}: times that no line can have\n", name, ranks,
                         nodes);
    }
    const bool poor = fit.median_error > kPoor;
    text += fmt::format("{}  # {} rows, median error {:.1f} %{}\n",
                        plan::describe(link_of(*row, group, fit, text.empty())), fit.points,
                        fit.median_error * 100, poor ? ": no line fits, do not extrapolate" : "");
  }
  return text;
}

}  // namespace

ExitStatus run(const FitOptions& options) {
  Sweeps sweeps;
  for (const std::string& file : options.files) {
    for (const Document& document : read_results(file)) {
      collect(document, sweeps);
      if (document.incomplete) {
        print_message(
            fmt::format("{}: a run is incomplete: what it had measured by then is fitted", file)
                .c_str());
      }
    }
  }
  bool fitted = false;
  for (const auto& [group, points] : sweeps) {
    const std::string lines = fit_lines(group, points);
    fitted = fitted || !lines.starts_with('#');
    fmt::print("{}", lines);
  }
  if (fitted) return ExitStatus::ok;
  print_message("nothing to fit: rows of two sizes and more than one rank are needed");
  return ExitStatus::inconclusive;
}

}  // namespace collbench
