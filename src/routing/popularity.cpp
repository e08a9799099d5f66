// SPDX-License-Identifier: Apache-2.0
#include "routing/popularity.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace collbench::routing {
namespace {

constexpr double kLog2OfE = 0x1.71547652b82fep+0;
constexpr std::uint64_t kOfTheLayer = ~std::uint64_t{0};  // no batch has this number

/// The experts in an order that the layer chooses.
std::vector<int> shuffled(int experts, PortableRandom& random) {
  std::vector<int> order(static_cast<std::size_t>(experts));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[random.below(left)]);
  }
  return order;
}

/// The probability that k of one expert of this weight and of n others of weight 1 are only others.
double missed(double weight, int others, int per_token) {
  double probability = 1;
  for (int i = 0; i < per_token; ++i) probability *= (others - i) / ((others - i) + weight);
  return probability;
}

/// Logarithm of the weight with which an expert is among those of this share of the tokens.
double log2_weight_of_share(double share, const Shape& shape) {
  double low = -40, high = 40;
  for (int halving = 0; halving < 64; ++halving) {
    const double middle = (low + high) / 2;
    // No product beside a sum, which a compiler could fuse.
    const bool is_enough =
        missed(portable_exp2(middle), shape.experts - 1, shape.per_token) <= 1 - share;
    (is_enough ? high : low) = middle;
  }
  return high;
}

/// Logarithms to base 2.
std::vector<double> scores(const RoutingSpec& spec, const Shape& shape, std::uint64_t layer) {
  PortableRandom random = stream_of(spec.seed, layer, kOfTheLayer, 0);
  std::vector<double> scores(static_cast<std::size_t>(shape.experts), 0);
  switch (spec.distribution) {
    case Distribution::uniform:
      return scores;
    case Distribution::zipf: {
      const std::vector<int> popular_first = shuffled(shape.experts, random);
      for (std::size_t n = 0; n < scores.size(); ++n) {
        scores[static_cast<std::size_t>(popular_first[n])] =
            -spec.parameter * portable_log2(static_cast<double>(n + 1));
      }
      return scores;
    }
    case Distribution::lognormal:
      for (double& score : scores) score = random.normal() * spec.parameter * kLog2OfE;
      return scores;
    case Distribution::hot:
      scores[random.below(scores.size())] = log2_weight_of_share(spec.parameter, shape);
      return scores;
    case Distribution::balanced:
    case Distribution::file:
      break;
  }
  throw std::logic_error("this routing draws by no weights");
}

}  // namespace

std::vector<std::uint64_t> popularity(const RoutingSpec& spec, const Shape& shape,
                                      std::uint64_t layer, const Bias& bias) {
  std::vector<double> logarithms = scores(spec, shape, layer);
  for (std::size_t expert = 0; expert < bias.size(); ++expert) {
    logarithms.at(expert) = std::fma(bias[expert], kLog2OfE, logarithms.at(expert));
  }
  constexpr double kMost = 0x1p32;
  const double best = *std::max_element(logarithms.begin(), logarithms.end());
  std::vector<std::uint64_t> weights;
  for (const double logarithm : logarithms) {
    const double below_best = std::max(logarithm - best, -100.0);
    weights.push_back(
        std::max<std::uint64_t>(static_cast<std::uint64_t>(portable_exp2(below_best) * kMost), 1));
  }
  return weights;
}

PortableRandom stream_of(std::uint64_t seed, std::uint64_t layer, std::uint64_t batch,
                         std::uint64_t rank) {
  std::uint64_t state = seed;
  for (const std::uint64_t number : {layer, batch, rank}) {
    state = PortableRandom(PortableRandom(state).next() ^ number).next();
  }
  return PortableRandom(state);
}

}  // namespace collbench::routing
