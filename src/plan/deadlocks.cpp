// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "plan/checker.h"

namespace collbench::plan {
namespace {

using Node = std::uint32_t;

/// What a rank issues one after the other.
struct Step {
  std::uint32_t rank_class;
  OpIndex from, to;
};

struct Edge {
  Node to;
  std::optional<Step> step;  // absent: an operation, or an exchange, waits for its members
};

/// Each operation has a node for its start and one for its end, each exchange one that lies between
/// the starts and the ends of its members. On one rank, an operation starts after the one before it
/// has ended.
class DeadlockSearch {
 public:
  DeadlockSearch(const Plan& plan, const Matching& matching) : plan_(plan) {
    for (const RankClass& ranks : plan.classes) {
      first_node_.push_back(static_cast<Node>(edges_.size()));
      edges_.resize(edges_.size() + 2 * ranks.ops.size());
    }
    waits_.resize(edges_.size());
    for (const Exchange& exchange : matching.exchanges) add_exchange(exchange);
    for (std::uint32_t c = 0; c < plan.classes.size(); ++c) add_issue_order(c);
  }

  /// Takes away nodes that wait for nobody until none is left: what remains is in or behind a
  /// cycle.
  std::vector<std::string> run() {
    std::vector<Node> free;
    for (Node node = 0; node < waits_.size(); ++node) {
      if (waits_[node] == 0) free.push_back(node);
    }
    while (!free.empty()) {
      const Node node = free.back();
      free.pop_back();
      for (const Edge& edge : edges_[node]) {
        if (--waits_[edge.to] == 0) free.push_back(edge.to);
      }
    }
    const auto stuck = std::find_if(waits_.begin(), waits_.end(), [](int n) { return n > 0; });
    if (stuck == waits_.end()) return {};
    return {describe(cycle_before(static_cast<Node>(stuck - waits_.begin())))};
  }

 private:
  Node start(std::uint32_t c, OpIndex op) const { return first_node_[c] + 2 * op; }
  Node end(std::uint32_t c, OpIndex op) const { return start(c, op) + 1; }

  void add_edge(Node from, Node to, std::optional<Step> step = std::nullopt) {
    edges_[from].push_back({to, step});
    ++waits_[to];
  }

  void add_exchange(const Exchange& exchange) {
    const auto node = static_cast<Node>(edges_.size());
    edges_.emplace_back();
    waits_.push_back(0);
    for (const MessageRef& member : exchange.members) {
      add_edge(start(member.rank_class, member.op), node);
      add_edge(node, end(member.rank_class, member.op));
    }
  }

  void add_issue_order(std::uint32_t c) {
    const std::vector<Op>& ops = plan_.classes[c].ops;
    std::optional<OpIndex> last;
    for (OpIndex o = 0; o < ops.size(); ++o) {
      if (ops[o].kind != OpKind::communicate) continue;
      add_edge(start(c, o), end(c, o));
      if (last) add_edge(end(c, *last), start(c, o), Step{c, *last, o});
      last = o;
    }
  }

  /// Going back from a stuck node over stuck nodes must meet one twice. The steps of ranks on the
  /// way.
  std::vector<Step> cycle_before(Node node) {
    std::vector<std::optional<std::pair<Node, Edge>>> back(edges_.size());
    for (Node from = 0; from < edges_.size(); ++from) {
      if (waits_[from] == 0) continue;
      for (const Edge& edge : edges_[from]) back[edge.to] = {from, edge};
    }
    std::vector<Node> visited;
    while (std::find(visited.begin(), visited.end(), node) == visited.end()) {
      visited.push_back(node);
      node = back[node]->first;
    }
    std::vector<Step> steps;
    for (auto at = std::find(visited.begin(), visited.end(), node); at != visited.end(); ++at) {
      if (const auto& step = back[*at]->second.step) steps.push_back(*step);
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  /// Steps of one rank that follow each other as one: where its order meets another's is what
  /// tells.
  static std::vector<Step> shortened(const std::vector<Step>& cycle) {
    std::vector<Step> steps;
    for (const Step& step : cycle) {
      const bool continues = !steps.empty() && steps.back().rank_class == step.rank_class &&
                             steps.back().to == step.from;
      if (continues) {
        steps.back().to = step.to;
      } else {
        steps.push_back(step);
      }
    }
    return steps;
  }

  std::string describe(const std::vector<Step>& cycle) const {
    std::string text;
    for (const Step& step : shortened(cycle)) {
      const RankClass& ranks = plan_.classes[step.rank_class];
      text +=
          fmt::format("{}rank {} ({}) issues operation {} [{}] before {} [{}]",
                      text.empty() ? "deadlock: " : "; ", ranks.first_rank, name_of(plan_, ranks),
                      step.from, ranks.ops[step.from].label, step.to, ranks.ops[step.to].label);
    }
    return text + "; each waits for the other";
  }

  const Plan& plan_;
  std::vector<Node> first_node_;  // by class
  std::vector<std::vector<Edge>> edges_;
  std::vector<int> waits_;  // edges into a node that are not yet taken away
};

}  // namespace

std::vector<std::string> find_deadlocks(const Plan& plan, const Matching& matching) {
  return DeadlockSearch(plan, matching).run();
}

}  // namespace collbench::plan
