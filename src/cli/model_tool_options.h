// SPDX-License-Identifier: Apache-2.0
// The command lines of the subcommands of `collbench` that say what follows from a model and a
// layout: models, layout, traffic.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "model/layout.h"
#include "model/model.h"
#include "model/step.h"

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

/// Fill the options, or return the text of --help. Throw UserError.
std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 ModelsOptions& options);
std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 LayoutOptions& options);
std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 TrafficOptions& options);

}  // namespace collbench
