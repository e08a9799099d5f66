// SPDX-License-Identifier: Apache-2.0
#include "plan/expert_routes.h"

#include <fmt/format.h>

#include "base/errors.h"

namespace collbench::plan {
namespace {

using routing::Distribution;
using routing::RoutingSpec;
using routing::Shape;

traffic::Matrix transposed(const traffic::Matrix& matrix) {
  traffic::Matrix other(matrix.ranks());
  for (int from = 0; from < matrix.ranks(); ++from) {
    for (int to = 0; to < matrix.ranks(); ++to) other.at(to, from) = matrix.at(from, to);
  }
  return other;
}

ExpertRoutes::Ways ways_of(const traffic::Matrix& rows, std::vector<traffic::Matrix>& matrices) {
  return {matrix_index(matrices, rows), matrix_index(matrices, transposed(rows))};
}

/// By rank: copies that come to each of its experts.
std::vector<std::vector<Count>> arriving(const routing::ExpertRows& rows) {
  const std::vector<std::uint64_t> loads = rows.loads();
  const auto each = static_cast<std::ptrdiff_t>(rows.experts() / rows.ranks());
  std::vector<std::vector<Count>> all;
  for (auto first = loads.begin(); first != loads.end(); first += each) {
    all.emplace_back(first, first + each);
  }
  return all;
}

TableIndex add_table(Plan& plan, std::vector<Count> numbers) {
  plan.tables.push_back(std::move(numbers));
  return static_cast<TableIndex>(plan.tables.size() - 1);
}

/// By rank: of its tokens, by expert.
std::vector<TableIndex> add_chosen(Plan& plan, const routing::ExpertRows& rows) {
  std::vector<TableIndex> tables;
  for (int rank = 0; rank < rows.ranks(); ++rank) {
    std::vector<Count> numbers;
    for (int expert = 0; expert < rows.experts(); ++expert) {
      numbers.push_back(rows.at(rank, expert));
    }
    tables.push_back(add_table(plan, std::move(numbers)));
  }
  return tables;
}

/// As evenly as whole rows go.
std::vector<Count> divided(Count rows, Count experts) {
  std::vector<Count> all(experts, rows / experts);
  for (Count expert = 0; expert < rows % experts; ++expert) ++all[expert];
  return all;
}

void refuse_unknown(const model::Layout& layout, const ExpertOptions& options) {
  const std::string routing = routing::to_text(options.routing.spec);
  const std::string_view dispatcher =
      kDispatchers[static_cast<std::size_t>(options.dispatcher)].name;
  if (deduplicates(options.dispatcher) && options.routing.spec.capacity) {
    throw UserError(fmt::format(
        "{} pads rows for experts, and dispatcher {} sends rows to ranks; leave out the capacity, "
        "or choose --dispatcher alltoall",
        routing, dispatcher));
  }
  const bool gathers = options.dispatcher == Dispatcher::allgather;
  if (model::expert_tp(layout) > 1 && !gathers) {
    throw UserError(fmt::format(
        "routing {} by dispatcher {} gives ranks that divide experts (etp {}) different "
        "numbers of tokens, which is not known here; set --etp 1, or choose "
        "--dispatcher allgather",
        routing, dispatcher, model::expert_tp(layout)));
  }
}

/// On the axis ep.
std::vector<ExpertRoutes::Ways> hops_of(const routing::Rows& rows, const ExpertOptions& options,
                                        std::vector<traffic::Matrix>& matrices) {
  if (options.dispatcher == Dispatcher::allgather) return {};
  if (options.dispatcher == Dispatcher::alltoall) {
    return {ways_of(routing::copies(rows.kept), matrices)};
  }
  if (!rows.deduplicated) {
    throw UserError(fmt::format(
        "{} counts tokens and does not say which chose what, so that repetitions cannot be left "
        "out; trace tokens, or choose --dispatcher alltoall",
        options.routing.spec.path));
  }
  const routing::Deduplicated& once = *rows.deduplicated;
  if (options.dispatcher == Dispatcher::dedup) return {ways_of(once.per_rank, matrices)};
  return {ways_of(once.per_node, matrices), ways_of(once.fan_out, matrices)};
}

Shape shape_of(const model::Model& model, const model::Layout& layout, const model::Step& step,
               const ExpertOptions& options) {
  return routing::shape_of(options.routing.spec, model, layout, step, options.ranks_per_node);
}

void require_balance(const model::Layout& layout, const ExpertOptions& options) {
  require_balanceable(options);
  if (layout.ep > 1) return;
  throw UserError(
      "--balance: one rank has all experts (ep is 1), so that their loads make no difference; give "
      "--ep");
}

/// Of ExpertRoutes::layers.
bool draws(const model::Model& model, std::size_t layer) {
  const auto number = static_cast<int>(layer);
  if (number == model.layers) return model.prediction_layers > 0;
  return model::has_experts(model, number);
}

/// In a micro-batch of the step that a plan is of: each has one of its own.
routing::Rows rows_of(const ExpertOptions& options, const Shape& shape, std::size_t layer) {
  if (!options.balance) return routing::rows_of(options.routing, shape, layer, /*batch=*/0);
  const BiasBalance& balance = *options.balance;
  const bool has_biases = !balance.biases.empty();
  return routing::rows_of(options.routing, shape, layer, static_cast<std::uint64_t>(balance.step),
                          has_biases ? balance.biases.at(layer) : routing::Bias{});
}

/// Of a rank's tokens, one for each of their experts.
Count copies(const Shape& shape) { return shape.tokens * static_cast<Count>(shape.per_token); }

}  // namespace

std::vector<std::vector<Count>> ExpertRoutes::expert_rows(const model::Model& model,
                                                          int position) const {
  if (experts == 0) return {};
  const auto count = static_cast<std::size_t>(model.layers) + 1;
  const auto ranks = static_cast<Count>(model.experts->routed) / experts;
  std::vector<Count> even = divided(even_rows / ranks, experts);  // of each rank's tokens
  for (Count& of_expert : even) of_expert *= ranks;
  std::vector<std::vector<Count>> rows(count, even);
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const auto& of_layer = layers[layer].expert_rows;
    if (of_layer.empty()) {
      rows[layer].clear();
    } else {
      rows[layer] = of_layer[static_cast<std::size_t>(position)];
    }
  }
  return rows;
}

TableIndex ExpertRoutes::chosen(int layer, int position) const {
  if (are_even()) return even_chosen;
  return layers.at(static_cast<std::size_t>(layer)).chosen.at(static_cast<std::size_t>(position));
}

bool are_even(const model::Model& model, const model::Layout& layout, const model::Step& step,
              const ExpertOptions& options) {
  if (!model.experts || layout.ep == 1) return true;
  if (deduplicates(options.dispatcher)) return false;
  const RoutingSpec& spec = options.routing.spec;
  return spec.capacity ||
         (spec.distribution == Distribution::balanced &&
          copies(shape_of(model, layout, step, options)) % static_cast<Count>(layout.ep) == 0);
}

void require_balanceable(const ExpertOptions& options) {
  const RoutingSpec& spec = options.routing.spec;
  if (spec.distribution == Distribution::balanced) {
    throw UserError("--balance: this routing is balanced; choose another with --routing");
  }
  if (spec.distribution == Distribution::file) {
    throw UserError(fmt::format(
        "--balance: what {} says was chosen, and no bias changes that; draw it, as with --routing "
        "zipf:1",
        spec.path));
  }
}

ExpertRoutes expert_routes(const model::Model& model, const model::Layout& layout,
                           const model::Step& step, const ExpertOptions& options, Plan& plan) {
  ExpertRoutes routes;
  if (!model.experts) return routes;
  const Shape shape = shape_of(model, layout, step, options);
  routes.tokens = shape.tokens;
  routes.even_rows = copies(shape);
  routes.experts = static_cast<Count>(shape.experts / shape.ranks);
  if (const auto factor = options.routing.spec.capacity) {
    routes.even_rows = static_cast<Count>(shape.experts) * routing::capacity_rows(shape, *factor);
    routes.are_counted = false;
  }
  if (options.dispatcher == Dispatcher::allgather) routes.are_counted = false;
  const bool even = are_even(model, layout, step, options);
  if (options.balance) require_balance(layout, options);
  if (even) {
    const auto ranks = static_cast<Count>(shape.ranks);
    std::vector<Count> chosen;
    for (Count rank = 0; rank < ranks; ++rank) {
      const std::vector<Count> of_rank = divided(routes.even_rows / ranks, routes.experts);
      chosen.insert(chosen.end(), of_rank.begin(), of_rank.end());
    }
    if (routes.are_counted) routes.even_chosen = add_table(plan, std::move(chosen));
    if (!options.balance) return routes;
  } else {
    refuse_unknown(layout, options);
  }
  const auto count = static_cast<std::size_t>(model.layers) + 1;
  if (!even) routes.layers.resize(count);
  if (options.balance) plan.expert_loads.resize(count);
  for (std::size_t layer = 0; layer < count; ++layer) {
    if (!draws(model, layer)) continue;
    const routing::Rows rows = rows_of(options, shape, layer);
    if (options.balance) plan.expert_loads[layer] = rows.chosen.loads();
    if (even) continue;
    ExpertRoutes::Layer& added = routes.layers[layer];
    added = {hops_of(rows, options, plan.matrices), arriving(rows.kept), {}};
    if (routes.are_counted) added.chosen = add_chosen(plan, rows.kept);
  }
  return routes;
}

}  // namespace collbench::plan
