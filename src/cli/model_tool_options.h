// SPDX-License-Identifier: Apache-2.0
// The command lines of the subcommands of `collbench` that say what follows from a model and a
// layout: models, layout, traffic, routing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "model/layout.h"
#include "model/model.h"
#include "model/step.h"
#include "routing/routing.h"
#include "routing/shape.h"

namespace collbench {

struct ModelsOptions {
  std::optional<model::Model> model;  // absent: all that are built in
  std::optional<model::Layout> layout;
  model::Step step;
  bool json = false;
};

struct LayoutOptions {
  model::Layout layout;
  int ranks_per_node = 8;
  std::optional<model::Axis> axis;  // absent: all that tell something
  std::optional<int> rank;          // absent: the groups of all ranks
  bool json = false;
};

struct TrafficOptions {
  model::Model model;
  model::Layout layout;
  model::Step step;
  int position = 0;  // of the pipeline
  bool json = false;
};

enum class RoutingFormat : std::uint8_t { text, json, trace, matrix };

struct RoutingFormatRow {
  RoutingFormat format;
  std::string_view name;
};

inline constexpr std::array<RoutingFormatRow, 4> kRoutingFormats = {{
    {RoutingFormat::text, "text"},
    {RoutingFormat::json, "json"},
    {RoutingFormat::trace, "trace"},
    {RoutingFormat::matrix, "matrix"},
}};

struct RoutingOptions {
  model::Model model;
  model::Layout layout;
  model::Step step;
  routing::Routing routing;
  int ranks_per_node = 8;
  routing::Shape shape;
  std::uint64_t layer = 0;         // of the model
  std::uint64_t micro_batch = 0;   // counted over all steps
  int balance_steps = 0;           // 0: no balancing
  double bias_update_rate = 0.05;  // u
  RoutingFormat format = RoutingFormat::text;
};

/// Fill the options, or return the text of --help. Throw UserError.
std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 ModelsOptions& options);
std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 LayoutOptions& options);
std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 TrafficOptions& options);
std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 RoutingOptions& options);

}  // namespace collbench
