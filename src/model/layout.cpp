// SPDX-License-Identifier: Apache-2.0
#include "model/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/errors.h"

namespace collbench::model {
namespace {

// ---- grids

/// What a grid is made of: dimensions, data parallelism cut into shards and replicas, context
/// parallelism into those that exchange heads and rings. Those of dense layers come first.
enum class Part : std::uint8_t {
  tp,
  cp_a2a,
  cp_p2p,
  dp_shard,
  dp_replicate,
  pp,
  etp,
  ep,
  edp_shard,
  edp_replicate
};

using Parts = unsigned;  // a set of Part
constexpr Parts set(std::initializer_list<Part> parts) {
  Parts all = 0;
  for (const Part part : parts) all |= 1U << static_cast<unsigned>(part);
  return all;
}
constexpr bool contains(Parts parts, Part part) { return (parts & set({part})) != 0; }

struct Digit {
  Part part;
  int size;
  int stride;
};

/// A rank's number as digits, the fastest first.
using Grid = std::vector<Digit>;

void add(Grid& grid, Part part, int size) {
  const int stride = grid.empty() ? 1 : grid.back().stride * grid.back().size;
  grid.push_back({part, size, stride});
}

Grid dense_grid(const Layout& layout) {
  Grid grid;
  for (const Dimension dimension : layout.order) {
    switch (dimension) {
      case Dimension::tp:
        add(grid, Part::tp, layout.tp);
        break;
      case Dimension::cp:
        add(grid, Part::cp_a2a, layout.cp_a2a);
        add(grid, Part::cp_p2p, layout.cp / layout.cp_a2a);
        break;
      case Dimension::ep:
        break;  // experts are no dimension of dense layers
      case Dimension::dp:
        add(grid, Part::dp_shard, layout.dp / layout.replicas);
        add(grid, Part::dp_replicate, layout.replicas);
        break;
      case Dimension::pp:
        add(grid, Part::pp, layout.pp);
        break;
    }
  }
  return grid;
}

Grid expert_grid(const Layout& layout) {
  Grid grid;
  for (const Dimension dimension : layout.order) {
    switch (dimension) {
      case Dimension::tp:
        add(grid, Part::etp, expert_tp(layout));
        break;
      case Dimension::cp:
        break;  // an expert takes tokens from all context-parallel ranks
      case Dimension::ep:
        add(grid, Part::ep, layout.ep);
        break;
      case Dimension::dp:
        add(grid, Part::edp_shard, expert_dp(layout) / layout.replicas);
        add(grid, Part::edp_replicate, layout.replicas);
        break;
      case Dimension::pp:
        add(grid, Part::pp, layout.pp);
        break;
    }
  }
  return grid;
}

int digit(const Digit& digit, int rank) { return rank / digit.stride % digit.size; }

// ---- axes

struct Varied {
  Axis axis;
  bool of_experts;
  Parts parts;
};

constexpr Parts kCp = set({Part::cp_a2a, Part::cp_p2p});
constexpr Parts kDp = set({Part::dp_shard, Part::dp_replicate});
constexpr Parts kEdp = set({Part::edp_shard, Part::edp_replicate});

constexpr std::array<Varied, kAxes.size()> kVaried = {{
    {Axis::tp, false, set({Part::tp})},
    {Axis::cp, false, kCp},
    {Axis::cp_a2a, false, set({Part::cp_a2a})},
    {Axis::cp_p2p, false, set({Part::cp_p2p})},
    {Axis::dp, false, kDp},
    {Axis::pp, false, set({Part::pp})},
    {Axis::dp_cp, false, kDp | kCp},
    {Axis::tp_cp, false, kCp | set({Part::tp})},
    {Axis::tp_dp_cp, false, kDp | kCp | set({Part::tp})},
    {Axis::tp_pp, false, set({Part::tp, Part::pp})},
    {Axis::dp_replicate, false, set({Part::dp_replicate})},
    {Axis::dp_shard_cp, false, kCp | set({Part::dp_shard})},
    {Axis::ep, true, set({Part::ep})},
    {Axis::etp, true, set({Part::etp})},
    {Axis::etp_ep, true, set({Part::etp, Part::ep})},
    {Axis::edp, true, kEdp},
    {Axis::edp_replicate, true, set({Part::edp_replicate})},
    {Axis::edp_shard, true, set({Part::edp_shard})},
    {Axis::embedding, false, set({Part::pp})},  // of it, the ends
    {Axis::world, false, kDp | kCp | set({Part::tp, Part::pp})},
}};
static_assert(in_enum_order(kVaried, &Varied::axis));

const Varied& varied(Axis axis) { return kVaried[static_cast<std::size_t>(axis)]; }

Grid grid_of(const Layout& layout, Axis axis) {
  return varied(axis).of_experts ? expert_grid(layout) : dense_grid(layout);
}

/// All ranks that differ from `rank` in the parts only.
std::vector<int> vary(const Grid& grid, Parts parts, int rank) {
  int first = rank;
  for (const Digit& d : grid) {
    if (contains(parts, d.part)) first -= digit(d, rank) * d.stride;
  }
  std::vector<int> members = {first};
  for (const Digit& d : grid) {
    if (!contains(parts, d.part)) continue;
    const std::vector<int> faster = members;
    for (int i = 1; i < d.size; ++i) {
      for (const int member : faster) members.push_back(member + i * d.stride);
    }
  }
  return members;
}

/// First and last stage, which are one where there is one stage.
std::vector<int> ends(const std::vector<int>& pipeline, int rank) {
  if (pipeline.size() == 1) return pipeline;
  if (rank != pipeline.front() && rank != pipeline.back()) return {rank};
  return {pipeline.front(), pipeline.back()};
}

void require_rank(const Layout& layout, int rank) {
  if (rank < 0 || rank >= ranks(layout)) {
    throw std::logic_error(fmt::format("rank {} of {}", rank, ranks(layout)));
  }
}

}  // namespace

int ranks(const Layout& layout) { return layout.tp * layout.cp * layout.dp * layout.pp; }

int expert_tp(const Layout& layout) { return layout.etp.value_or(layout.tp); }

bool experts_apart(const Layout& layout) { return layout.ep > 1 || expert_tp(layout) != layout.tp; }

int expert_dp(const Layout& layout) {
  const int stage = layout.tp * layout.cp * layout.dp;
  const int copy = expert_tp(layout) * layout.ep;
  if (copy < 1 || stage % copy != 0) {
    throw UserError(
        fmt::format("etp * ep = {} * {} = {} does not divide tp * cp * dp = {}: experts are carved "
                    "out of the ranks of one stage; change ep, etp or dp",
                    expert_tp(layout), layout.ep, copy, stage));
  }
  return stage / copy;
}

Coordinates coordinates_of(const Layout& layout, int rank) {
  require_rank(layout, rank);
  const auto at = [&](Axis axis) { return position(layout, axis, rank); };
  return {.tp = at(Axis::tp),
          .cp = at(Axis::cp),
          .dp = at(Axis::dp),
          .pp = at(Axis::pp),
          .etp = at(Axis::etp),
          .ep = at(Axis::ep),
          .edp = at(Axis::edp)};
}

int rank_of(const Layout& layout, int tp, int cp, int dp, int pp) {
  const int shards = layout.dp / layout.replicas;
  const std::array<int, 6> at = {
      // in the order of Part
      tp, cp % layout.cp_a2a, cp / layout.cp_a2a, dp % shards, dp / shards, pp};
  int rank = 0;
  for (const Digit& d : dense_grid(layout)) rank += at[static_cast<std::size_t>(d.part)] * d.stride;
  return rank;
}

int size_of(const Layout& layout, Axis axis) {
  if (axis == Axis::embedding) return std::min(layout.pp, 2);
  int size = 1;
  for (const Digit& d : grid_of(layout, axis)) {
    if (contains(varied(axis).parts, d.part)) size *= d.size;
  }
  return size;
}

std::vector<int> group(const Layout& layout, Axis axis, int rank) {
  require_rank(layout, rank);
  const std::vector<int> members = vary(grid_of(layout, axis), varied(axis).parts, rank);
  return axis == Axis::embedding ? ends(members, rank) : members;
}

std::vector<std::vector<int>> groups(const Layout& layout, Axis axis) {
  std::vector<std::vector<int>> all;
  std::vector<bool> seen(static_cast<std::size_t>(ranks(layout)));
  for (int rank = 0; rank < ranks(layout); ++rank) {
    if (seen[static_cast<std::size_t>(rank)]) continue;
    all.push_back(group(layout, axis, rank));
    for (const int member : all.back()) seen[static_cast<std::size_t>(member)] = true;
  }
  return all;
}

int position(const Layout& layout, Axis axis, int rank) {
  const std::vector<int> members = group(layout, axis, rank);
  return static_cast<int>(std::find(members.begin(), members.end(), rank) - members.begin());
}

std::vector<int> nodes_of(const std::vector<int>& group, int ranks_per_node) {
  std::set<int> nodes;
  for (const int rank : group) nodes.insert(rank / ranks_per_node);
  return {nodes.begin(), nodes.end()};
}

int stage_of(const Layout& layout, int pp, int chunk) { return chunk * layout.pp + pp; }

}  // namespace collbench::model
