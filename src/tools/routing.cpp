// SPDX-License-Identifier: Apache-2.0
// `collbench routing`: where the tokens of a layer of experts go, drawn or traced.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/routing.h"
#include "results/table.h"
#include "routing/balance.h"
#include "routing/imbalance.h"
#include "routing/ways.h"
#include "tools/commands.h"
#include "tools/model_text.h"
#include "tools/routing_json.h"

namespace collbench {
namespace {

using routing::Imbalance;
using routing::Rows;
using routing::Way;

Bytes row_bytes(const RoutingOptions& options) {
  return options.model.hidden * size_of(options.step.activations);
}

std::string heading(const RoutingOptions& options) {
  const routing::Shape& shape = options.shape;
  std::string choice = fmt::format("{} of {} experts", shape.per_token, shape.experts);
  if (shape.groups.per_token < shape.groups.groups) {
    choice += fmt::format(" in {} of {} groups", shape.groups.per_token, shape.groups.groups);
  }
  return comment_line("Model: " + options.model.name) +
         comment_line("Layout: " + describe(options.layout)) +
         comment_line(fmt::format(
             "Routing: {}; {} tokens of each of {} ranks, {} to a node, each to {}",
             identity(options.routing), shape.tokens, shape.ranks, shape.ranks_per_node, choice)) +
         comment_line(fmt::format("Layer {}, micro-batch {}", options.layer, options.micro_batch));
}

std::string line(const Way& way, Bytes row, Bytes float8_row) {
  const auto megabytes = [](double rows, Bytes bytes) {
    return rows * static_cast<double>(bytes) / 1e6;
  };
  const std::string expected =
      way.expected_moved_rows ? fmt::format("{:.1f}", *way.expected_moved_rows) : "no formula";
  return fmt::format(
      "  {:<10} {:<15} {:>11.1f} {:>11.1f} {:>11} {:>9.0f} {:>9.0f} {:>11.3f} {:>11.3f} "
      "{:>11.3f}\n",
      way.name, way.row_for, way.rows, way.moved_rows, expected, way.most_sent, way.most_received,
      megabytes(way.rows, row), megabytes(way.moved_rows, row),
      megabytes(way.moved_rows, float8_row));
}

std::string table(const RoutingOptions& options, const std::vector<Way>& ways) {
  std::string text = comment_line(
      fmt::format("{:<10} {:<15} {:>11} {:>11} {:>11} {:>9} {:>9} {:>11} {:>11} {:>11}", "way",
                  "a row for each", "rows", "moved rows", "expected", "most sent", "most recv",
                  "logical MB", "bus MB", "fp8 bus MB"));
  for (const Way& way : ways) {
    text += line(way, row_bytes(options), model::float8_row_bytes(options.model.hidden));
  }
  return text +
         comment_line(fmt::format(
             "Of a rank on average, to the experts; the way back has the same rows. A row has {} "
             "bytes, {} in 8 bits",
             row_bytes(options), model::float8_row_bytes(options.model.hidden)));
}

std::string describe(const Imbalance& imbalance, bool has_capacity) {
  std::string text = comment_line(fmt::format(
      "Imbalance: the busiest rank receives {:.4f} of the mean; MaxVio of experts {:.4f}",
      imbalance.rank_max_over_mean, imbalance.max_violation));
  if (has_capacity) {
    text += comment_line(
        fmt::format("Capacity: {:.4f} of the copies are dropped, {:.4f} of the rows are padding",
                    imbalance.dropped_share, imbalance.padded_share));
  }
  return text;
}

/// A line for each sender.
std::string lines(const routing::Matrix& matrix) {
  std::string text;
  for (int from = 0; from < matrix.ranks(); ++from) {
    for (int to = 0; to < matrix.ranks(); ++to) text += fmt::format("{} ", matrix.at(from, to));
    text.back() = '\n';
  }
  return text;
}

/// Of each step, before its bias is updated; micro-batch by micro-batch from the one asked for on.
std::vector<Imbalance> balancing(const RoutingOptions& options) {
  std::vector<Imbalance> steps;
  routing::Bias bias;
  for (int step = 0; step <= options.balance_steps; ++step) {
    const Rows rows = rows_of(options.routing, options.shape, options.layer,
                              options.micro_batch + static_cast<std::uint64_t>(step), bias);
    steps.push_back(imbalance_of(rows));
    bias = routing::balanced(bias, rows.chosen.loads(), options.bias_update_rate);
  }
  return steps;
}

std::string describe(const std::vector<Imbalance>& steps) {
  constexpr std::size_t kLines = 10;
  const std::size_t apart = std::max<std::size_t>((steps.size() - 1) / kLines, 1);
  std::string text =
      comment_line(fmt::format("{:>6} {:>18} {:>8}", "step", "busiest rank/mean", "MaxVio"));
  for (std::size_t step = 0; step < steps.size(); step += apart) {
    text += fmt::format("  {:>6} {:>18.4f} {:>8.4f}\n", step, steps[step].rank_max_over_mean,
                        steps[step].max_violation);
  }
  return text;
}

}  // namespace

ExitStatus run(const RoutingOptions& options) {
  if (options.format == RoutingFormat::trace) {
    fmt::print("{}",
               to_text(traced(options.routing, options.shape, options.layer, options.micro_batch)));
    return ExitStatus::ok;
  }
  const Rows rows = rows_of(options.routing, options.shape, options.layer, options.micro_batch);
  if (options.format == RoutingFormat::matrix) {
    fmt::print("{}", lines(routing::in_bytes(routing::copies(rows.kept), row_bytes(options))));
    return ExitStatus::ok;
  }
  const std::vector<Way> ways = routing::ways(options.routing.spec, options.shape, rows,
                                              size_of(options.layout, model::Axis::etp_ep));
  std::vector<Imbalance> steps;
  if (options.balance_steps > 0) steps = balancing(options);
  if (options.format == RoutingFormat::json) {
    fmt::print("{}", routing_json(options, rows, ways, steps));
    return ExitStatus::ok;
  }
  fmt::print("{}{}{}", heading(options), table(options, ways),
             describe(imbalance_of(rows), rows.capacity.has_value()));
  if (!steps.empty()) fmt::print("{}", describe(steps));
  return ExitStatus::ok;
}

}  // namespace collbench
