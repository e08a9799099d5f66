// SPDX-License-Identifier: Apache-2.0
#include "routing/routing.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/errors.h"
#include "base/fnv.h"

namespace collbench::routing {

Routing routing_of(const RoutingSpec& spec, std::string_view file_text) {
  if (spec.distribution != Distribution::file) return {spec, std::nullopt};
  return {spec, parse_trace(file_text, spec.path)};
}

Rows rows_of(const Routing& routing, const Shape& shape, std::uint64_t layer, std::uint64_t batch,
             const Bias& bias) {
  const RoutingSpec& spec = routing.spec;
  if (!routing.trace) return drawn_rows(spec, shape, layer, batch, bias);
  if (!bias.empty()) {
    throw UserError(fmt::format("{}: what was traced cannot be balanced; draw it", spec.path));
  }
  require_fits(*routing.trace, shape, spec.path);
  std::optional<Count> capacity;
  if (spec.capacity) capacity = capacity_rows(shape, *spec.capacity);
  return traced_rows(layer_of(*routing.trace, layer, spec.path), shape, capacity);
}

Trace traced(const Routing& routing, const Shape& shape, std::uint64_t layer, std::uint64_t batch) {
  Trace trace = {shape.ranks, shape.experts, shape.per_token, shape.tokens, {}};
  if (routing.trace) {
    require_fits(*routing.trace, shape, routing.spec.path);
    trace.layers = {layer_of(*routing.trace, layer, routing.spec.path)};
  } else {
    const Drawing drawing(routing.spec, shape, layer, batch);
    LayerTrace drawn = {layer, {}, {}};
    for (int rank = 0; rank < shape.ranks; ++rank) drawn.choices.push_back(drawing.of_rank(rank));
    trace.layers = {std::move(drawn)};
  }
  trace.layers.front().layer = layer;
  return trace;
}

std::string identity(const Routing& routing) {
  if (!routing.trace) return to_text(routing.spec);
  RoutingSpec named = routing.spec;
  named.path = fmt::format("{} {:016x}", std::filesystem::path(named.path).filename().string(),
                           fnv1a(to_text(*routing.trace)));
  return to_text(named);
}

}  // namespace collbench::routing
