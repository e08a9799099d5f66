// SPDX-License-Identifier: Apache-2.0
#include "plan/balanced_training.h"

#include <numeric>
#include <stdexcept>
#include <utility>

#include "routing/balance.h"
#include "routing/imbalance.h"

namespace collbench::plan {
namespace {

using Loads = std::vector<std::uint64_t>;

/// Of the experts of each rank, which has equally many in order.
Loads of_ranks(const Loads& loads, int ranks) {
  const std::size_t each = loads.size() / static_cast<std::size_t>(ranks);
  Loads sums;
  for (auto first = loads.begin(); first != loads.end();) {
    const auto next = first + static_cast<std::ptrdiff_t>(each);
    sums.push_back(std::accumulate(first, next, std::uint64_t{0}));
    first = next;
  }
  return sums;
}

}  // namespace

BalancedTraining::BalancedTraining(Scheme scheme, MakePlan make)
    : scheme_(std::move(scheme)), make_(std::move(make)) {
  if (!scheme_.experts.balance) throw std::logic_error("a scheme that balances no experts");
}

Plan BalancedTraining::next() {
  if (is_over()) throw std::logic_error("no step is left");
  Plan plan = make_(scheme_);
  BiasBalance& state = balance();
  state.biases.resize(plan.expert_loads.size());
  for (std::size_t layer = 0; layer < plan.expert_loads.size(); ++layer) {
    state.biases[layer] =
        routing::balanced(state.biases[layer], plan.expert_loads[layer], state.rate);
  }
  ++state.step;
  return plan;
}

LoadImbalance load_imbalance(const Plan& plan) {
  LoadImbalance sum = {0, 0};
  int layers = 0;
  for (const Loads& loads : plan.expert_loads) {
    if (loads.empty()) continue;
    ++layers;
    sum.experts += routing::max_over_mean(loads);
    sum.ranks += routing::max_over_mean(of_ranks(loads, plan.layout.ep));
  }
  if (layers == 0) return {};
  return {sum.experts / layers, sum.ranks / layers};
}

}  // namespace collbench::plan
