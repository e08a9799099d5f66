// SPDX-License-Identifier: Apache-2.0
#include "cli/model_tool_options.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/errors.h"
#include "base/named_rows.h"
#include "cli/numbers.h"
#include "cli/routing_flags.h"
#include "cli/training_flags.h"
#include "model/feasibility.h"

namespace collbench {
namespace {

using Text = std::optional<std::string>;

/// A whole number from `least` to `most`.
int number(const std::string& text, std::string_view flag, int least, int most) {
  return static_cast<int>(
      parse_count(text, flag, static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most)));
}

/// What all of these tools take besides the model and the layout.
struct CommonFlags {
  TrainingFlags training;
  Text ranks, format;

  void declare(CommandLine& line, const char* formats = "text or json (text)") {
    training.declare(line);
    line.heading("Layout");
    line.value("--ranks", ranks, "all ranks, from which dp follows");
    line.heading("Output");
    line.value("--format", format, formats);
  }

  model::Layout layout() const {
    return training.layout(ranks ? std::optional(number(*ranks, "--ranks", 1, model::kMostRanks))
                                 : std::nullopt);
  }

  bool json() const {
    struct Format {
      std::string_view name;
      bool json;
    };
    constexpr std::array<Format, 2> kFormats = {{{"text", false}, {"json", true}}};
    return format && find_named(kFormats, *format, "--format", "format").json;
  }

  bool says_how() const { return ranks || training.says_how(); }
};

struct RoutingFlags {
  Text routing, ranks_per_node, layer, micro_batch, steps, rate;

  void declare(CommandLine& line) {
    line.heading("Routing");
    line.value("--routing", routing, routing_help());
    line.value("--ranks-per-node", ranks_per_node, "ranks that share a node (8)");
    line.value("--layer", layer, "of the model, from 0 on (the first that has experts)");
    line.value("--batch", micro_batch, "micro-batch, counted from 0 over all steps (0)");
    line.value("--balance", steps, "level the load by a bias of each expert over so many steps");
    line.value("--bias-update-rate", rate,
               fmt::format("what a step adds to a bias or takes from it ({})",
                           RoutingOptions().bias_update_rate));
  }

  /// Into options that have model, layout and step.
  void read(RoutingOptions& options) const {
    if (routing) options.routing = read_routing(*routing, "--routing");
    if (ranks_per_node) {
      options.ranks_per_node = number(*ranks_per_node, "--ranks-per-node", 1, model::kMostRanks);
    }
    options.shape = routing::shape_of(options.routing.spec, options.model, options.layout,
                                      options.step, options.ranks_per_node);
    const int first_layer = options.model.experts->dense_layers;
    options.layer = static_cast<std::uint64_t>(
        layer ? number(*layer, "--layer", first_layer, options.model.layers - 1) : first_layer);
    if (micro_batch) options.micro_batch = parse_count(*micro_batch, "--batch", 0);
    read_balancing(options);
  }

  void read_balancing(RoutingOptions& options) const {
    if (rate && !steps) throw UserError("--bias-update-rate says nothing without --balance");
    if (!steps) return;
    if (options.routing.spec.distribution == routing::Distribution::balanced) {
      throw UserError("--balance: this routing is balanced; choose another with --routing");
    }
    options.balance_steps = number(*steps, "--balance", 1, 10000);
    if (rate) options.bias_update_rate = parse_positive(*rate, "--bias-update-rate", "logarithms");
  }
};

/// Before anything is derived from it.
void require_sound(const model::Layout& layout) {
  const std::vector<model::Infeasible> broken = model::broken_rules(layout);
  if (!broken.empty()) throw UserError(fmt::format("impossible layout: {}", broken[0].message));
}

}  // namespace

std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 ModelsOptions& options) {
  CommonFlags flags;
  flags.declare(line);
  if (auto help = line.parse(arguments)) return help;
  options.json = flags.json();
  if (!flags.training.names_model() && !flags.says_how()) return std::nullopt;
  options.model = flags.training.model();
  if (!flags.says_how()) return std::nullopt;
  options.layout = flags.layout();
  options.step = flags.training.step(*options.model, *options.layout);
  return std::nullopt;
}

std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 LayoutOptions& options) {
  CommonFlags flags;
  Text ranks_per_node, axis, rank;
  flags.declare(line);
  line.value("--ranks-per-node", ranks_per_node, "ranks that share a node (8)");
  line.value("--axis", axis, "the groups of this axis alone, all of them");
  line.value("--rank", rank, "the groups of this rank alone");
  if (auto help = line.parse(arguments)) return help;
  options.json = flags.json();
  options.layout = flags.layout();
  require_sound(options.layout);
  if (flags.training.names_model()) {
    const model::Model model = flags.training.model();
    model::require_feasible(model, options.layout, flags.training.step(model, options.layout));
  }
  if (ranks_per_node) {
    options.ranks_per_node = number(*ranks_per_node, "--ranks-per-node", 1, model::kMostRanks);
  }
  if (axis) options.axis = find_named(model::kAxes, *axis, "--axis", "axis").axis;
  if (rank) options.rank = number(*rank, "--rank", 0, model::ranks(options.layout) - 1);
  return std::nullopt;
}

std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 TrafficOptions& options) {
  CommonFlags flags;
  Text position;
  flags.declare(line);
  line.value("--position", position, "which rank of a pipeline (0)");
  if (auto help = line.parse(arguments)) return help;
  options.json = flags.json();
  options.model = flags.training.model();
  options.layout = flags.layout();
  require_sound(options.layout);
  options.step = flags.training.step(options.model, options.layout);
  model::require_feasible(options.model, options.layout, options.step);
  if (position) options.position = number(*position, "--position", 0, options.layout.pp - 1);
  return std::nullopt;
}

std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 RoutingOptions& options) {
  CommonFlags flags;
  RoutingFlags routing;
  routing.declare(line);
  flags.declare(line,
                "text, json; trace: the choices, for --routing file:PATH; matrix: the bytes from "
                "rank to rank, for --matrix file:PATH of alltoallv_perf (text)");
  if (auto help = line.parse(arguments)) return help;
  if (flags.format) {
    options.format = find_named(kRoutingFormats, *flags.format, "--format", "format").format;
  }
  options.model = flags.training.model();
  options.layout = flags.layout();
  require_sound(options.layout);
  options.step = flags.training.step(options.model, options.layout);
  model::require_feasible(options.model, options.layout, options.step);
  routing.read(options);
  return std::nullopt;
}

}  // namespace collbench
