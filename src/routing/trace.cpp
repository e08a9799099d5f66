// SPDX-License-Identifier: Apache-2.0
#include "routing/trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"

namespace collbench::routing {
namespace {

void require_same(std::uint64_t in_file, std::uint64_t in_step, std::string_view what,
                  std::string_view path) {
  if (in_file == in_step) return;
  throw UserError(fmt::format("{}: it was traced with {} {}, and here there are {}", path, in_file,
                              what, in_step));
}

}  // namespace

void require_fits(const Trace& trace, const Shape& shape, std::string_view path) {
  const auto number = [](int n) { return static_cast<std::uint64_t>(n); };
  require_same(number(trace.ranks), number(shape.ranks), "ranks that share the experts", path);
  require_same(number(trace.experts), number(shape.experts), "experts", path);
  require_same(number(trace.per_token), number(shape.per_token), "experts per token", path);
  require_same(trace.tokens, shape.tokens, "tokens of a rank", path);
}

const LayerTrace& layer_of(const Trace& trace, std::uint64_t layer, std::string_view path) {
  if (trace.layers.size() == 1) return trace.layers.front();
  const auto found = std::find_if(trace.layers.begin(), trace.layers.end(),
                                  [&](const LayerTrace& traced) { return traced.layer == layer; });
  if (found != trace.layers.end()) return *found;
  throw UserError(fmt::format("{}: layer {} is missing; give all layers of experts, or one for all",
                              path, layer));
}

Rows traced_rows(const LayerTrace& layer, const Shape& shape, std::optional<Count> capacity) {
  if (layer.counts.empty()) {
    Tally tally(shape, capacity);
    for (const Choices& choices : layer.choices) tally.add(choices);
    return tally.rows();
  }
  ExpertRows chosen(shape.ranks, shape.experts);
  ExpertRows kept(shape.ranks, shape.experts);
  for (int rank = 0; rank < shape.ranks; ++rank) {
    for (int expert = 0; expert < shape.experts; ++expert) {
      const std::uint64_t count =
          layer.counts[static_cast<std::size_t>(rank)][static_cast<std::size_t>(expert)];
      chosen.at(rank, expert) = count;
      kept.at(rank, expert) = std::min<std::uint64_t>(count, capacity.value_or(count));
    }
  }
  return {chosen, kept, std::nullopt, capacity};
}

}  // namespace collbench::routing
