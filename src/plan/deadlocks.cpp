// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "plan/checker.h"

namespace collbench::plan {
namespace {

using Node = std::uint32_t;

/// Sets of operations that exchanges join.
class Joined {
 public:
  explicit Joined(std::size_t size) : parents_(size) {
    std::iota(parents_.begin(), parents_.end(), Node{0});
  }
  Node find(Node node) {
    while (parents_[node] != node) node = parents_[node] = parents_[parents_[node]];
    return node;
  }
  void join(Node a, Node b) { parents_[find(a)] = find(b); }

 private:
  std::vector<Node> parents_;
};

/// What a rank issues one after the other.
struct Edge {
  Node to;
  std::uint32_t rank_class;
  OpIndex from_op, to_op;
};

class DeadlockSearch {
 public:
  DeadlockSearch(const Plan& plan, const Matching& matching) : plan_(plan), joined_(number_ops()) {
    for (const Exchange& exchange : matching.exchanges) join(exchange);
    add_edges();
  }

  /// Takes away nodes that nobody waits for until none is left: what remains is in or behind a
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
  std::size_t number_ops() {
    Node next = 0;
    for (const RankClass& ranks : plan_.classes) {
      first_node_.push_back(next);
      next += static_cast<Node>(ranks.ops.size());
    }
    return next;
  }

  Node node_of(std::uint32_t rank_class, OpIndex op) {
    return joined_.find(first_node_[rank_class] + op);
  }

  void join(const Exchange& exchange) {
    const MessageRef& first = exchange.members.front();
    for (const MessageRef& other : exchange.members) {
      joined_.join(first_node_[first.rank_class] + first.op,
                   first_node_[other.rank_class] + other.op);
    }
  }

  void add_edges() {
    edges_.resize(first_node_.back() + plan_.classes.back().ops.size());
    waits_.resize(edges_.size());
    for (std::uint32_t c = 0; c < plan_.classes.size(); ++c) {
      const std::vector<Op>& ops = plan_.classes[c].ops;
      std::int64_t last = -1;
      for (OpIndex o = 0; o < ops.size(); ++o) {
        if (ops[o].kind != OpKind::communicate) continue;
        if (last >= 0) add_edge(c, static_cast<OpIndex>(last), o);
        last = o;
      }
    }
  }

  void add_edge(std::uint32_t c, OpIndex from, OpIndex to) {
    const Node target = node_of(c, to);
    edges_[node_of(c, from)].push_back({target, c, from, to});
    ++waits_[target];
  }

  /// Going back from a stuck node over stuck nodes must meet one twice.
  std::vector<Edge> cycle_before(Node node) {
    std::vector<std::vector<std::pair<Node, Edge>>> back(edges_.size());
    for (Node from = 0; from < edges_.size(); ++from) {
      if (waits_[from] == 0) continue;
      for (const Edge& edge : edges_[from]) back[edge.to].push_back({from, edge});
    }
    std::vector<Edge> path;
    std::vector<Node> visited;
    while (std::find(visited.begin(), visited.end(), node) == visited.end()) {
      visited.push_back(node);
      path.push_back(back[node].front().second);
      node = back[node].front().first;
    }
    path.erase(path.begin(),
               path.begin() + (std::find(visited.begin(), visited.end(), node) - visited.begin()));
    std::reverse(path.begin(), path.end());
    return path;
  }

  /// Steps of one rank that follow each other as one: where its order meets another's is what
  /// tells.
  static std::vector<Edge> shortened(const std::vector<Edge>& cycle) {
    std::vector<Edge> steps;
    for (const Edge& edge : cycle) {
      const bool continues = !steps.empty() && steps.back().rank_class == edge.rank_class &&
                             steps.back().to_op == edge.from_op;
      if (continues) {
        steps.back().to_op = edge.to_op;
      } else {
        steps.push_back(edge);
      }
    }
    return steps;
  }

  std::string describe(const std::vector<Edge>& cycle) {
    std::string text = "deadlock: ";
    const std::vector<Edge> steps = shortened(cycle);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Edge& edge = steps[i];
      text += fmt::format("{}{} issues operation {} [{}] before {} [{}]", i == 0 ? "" : "; ",
                          rank(edge.rank_class), edge.from_op, label(edge.rank_class, edge.from_op),
                          edge.to_op, label(edge.rank_class, edge.to_op));
    }
    return text + "; each waits for the other";
  }

  std::string rank(std::uint32_t c) const {
    const RankClass& ranks = plan_.classes[c];
    return fmt::format("rank {} ({})", ranks.first_rank, name_of(plan_, ranks));
  }

  const std::string& label(std::uint32_t c, OpIndex op) const {
    return plan_.classes[c].ops[op].label;
  }

  const Plan& plan_;
  std::vector<Node> first_node_;
  Joined joined_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<int> waits_;  // edges into a node that are not yet taken away
};

}  // namespace

std::vector<std::string> find_deadlocks(const Plan& plan, const Matching& matching) {
  return DeadlockSearch(plan, matching).run();
}

}  // namespace collbench::plan
