// SPDX-License-Identifier: Apache-2.0
// Which experts the tokens of a rank choose.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/popularity.h"
#include "routing/shape.h"
#include "routing/spec.h"

namespace collbench::routing {

/// Those of all tokens of a rank.
struct Choices {
  int per_token = 1;
  std::vector<std::uint16_t>
      experts;  // token by token, the distinct ones of each in order of choice

  std::size_t tokens() const { return experts.size() / static_cast<std::size_t>(per_token); }
  std::span<const std::uint16_t> of(std::size_t token) const {
    return std::span(experts).subspan(token * static_cast<std::size_t>(per_token),
                                      static_cast<std::size_t>(per_token));
  }
  bool operator==(const Choices&) const = default;
};

/// Draws what the ranks of an expert-parallel group choose in one layer and one micro-batch. The
/// same numbers give the same choices on every rank and platform; each rank's can be drawn alone.
class Drawing {
 public:
  /// `batch` counts the micro-batches of a run. Requires a possible shape; throws std::logic_error
  /// for a file, and UserError where balanced routing cannot use a token's groups evenly.
  Drawing(const RoutingSpec& spec, const Shape& shape, std::uint64_t layer, std::uint64_t batch,
          const Bias& bias = {});

  Choices of_rank(int rank) const;

 private:
  RoutingSpec spec_;
  Shape shape_;
  std::uint64_t layer_, batch_;
  std::vector<std::uint64_t> weights_;  // empty: balanced
};

}  // namespace collbench::routing
