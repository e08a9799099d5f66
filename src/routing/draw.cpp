// SPDX-License-Identifier: Apache-2.0
#include "routing/draw.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/errors.h"
#include "routing/deck.h"
#include "routing/race.h"
#include "routing/weighted.h"

namespace collbench::routing {
namespace {

/// Any experts, one after the other.
void draw_free(const Shape& shape, std::span<const std::uint64_t> weights, PortableRandom& random,
               Choices& choices) {
  const Weighted weighted(weights);
  std::vector<Count> last_token(weights.size(), 0);  // that took it, counted from 1
  for (Count token = 1; token <= shape.tokens; ++token) {
    std::uint64_t taken_weight = 0;
    for (int i = 0; i < shape.per_token; ++i) {
      const std::size_t expert = weighted.draw_other(
          random, taken_weight, [&](std::size_t x) { return last_token[x] == token; });
      last_token[expert] = token;
      taken_weight += weighted.weight(expert);
      choices.experts.push_back(static_cast<std::uint16_t>(expert));
    }
  }
}

bool is_limited(const Shape& shape) { return shape.groups.per_token < shape.groups.groups; }

}  // namespace

Drawing::Drawing(const RoutingSpec& spec, const Shape& shape, std::uint64_t layer,
                 std::uint64_t batch, const Bias& bias)
    : spec_(spec), shape_(shape), layer_(layer), batch_(batch) {
  if (spec.distribution == Distribution::file) throw std::logic_error("a file is not drawn");
  if (spec.distribution != Distribution::balanced) {
    weights_ = popularity(spec, shape, layer, bias);
  } else if (is_limited(shape) && shape.per_token % shape.groups.per_token != 0) {
    throw UserError(fmt::format(
        "balanced routing takes as many experts of each group of a token: {} do not divide among "
        "{} groups",
        shape.per_token, shape.groups.per_token));
  }
}

Choices Drawing::of_rank(int rank) const {
  PortableRandom random = stream_of(spec_.seed, layer_, batch_, static_cast<std::uint64_t>(rank));
  Choices choices = {shape_.per_token, {}};
  choices.experts.reserve(shape_.tokens * static_cast<Count>(shape_.per_token));
  if (weights_.empty()) {
    deal(shape_, random, choices.experts);
  } else if (is_limited(shape_)) {
    Race race(shape_, weights_);
    for (Count token = 0; token < shape_.tokens; ++token) race.draw(random, choices.experts);
  } else {
    draw_free(shape_, weights_, random, choices);
  }
  return choices;
}

}  // namespace collbench::routing
