// SPDX-License-Identifier: Apache-2.0
// Layout: how ranks are divided among the axes of parallelism, and who communicates with whom.
//
// Dense layers and experts divide the same N ranks by two grids that agree on pipeline stages:
//
//   N = tp * cp * dp * pp = etp * ep * edp * pp
//
// Experts are carved out of data (and context and tensor) parallelism: ep is no further factor of
// N. `order` says how a rank's number is made of its coordinates, the fastest first. In the default
// order
//
//   rank = tp + t*(cp + c*(dp + D*pp))         of dense layers
//   rank = etp + et*(ep + e*(edp + ed*pp))     of experts
//
// Source: Megatron-LM, core/parallel_state.py, RankGenerator.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_rows.h"
#include "model/order.h"

namespace collbench::model {

struct Layout {
  int tp = 1;                   // t, tensor parallel
  int cp = 1;                   // c, context parallel
  int cp_a2a = 1;               // of cp: neighbours that exchange heads, the others form rings
  int ep = 1;                   // e, expert parallel
  std::optional<int> etp = {};  // et, tensor parallel within an expert; as tp where it is not given
  int dp = 1;                   // D, data parallel: replicas times shards
  int replicas = 1;  // of dp: groups of ranks that each hold all shards (HSDP); 1 is plain sharding
  int pp = 1;        // p, pipeline stages
  int vpp = 1;       // V, stages per rank (interleaved schedule)
  Order order = kMegatronOrder;
  std::vector<int> stage_layers = {};  // layers of each of the p*V stages; empty: equally many

  bool operator==(const Layout&) const = default;
};

/// Of a layout: ten times the largest cluster there is, so that what is said of one takes seconds.
inline constexpr int kMostRanks = 1 << 20;

/// N
int ranks(const Layout& layout);
int expert_tp(const Layout& layout);
/// ed, expert data parallel: how many ranks hold the same experts. Throws UserError where et*e does
/// not divide t*c*D.
int expert_dp(const Layout& layout);
/// Whether other ranks hold the same experts than hold the same dense layers. Where not, experts
/// are parameters like all others.
bool experts_apart(const Layout& layout);

/// Where a rank stands in both grids.
struct Coordinates {
  int tp = 0, cp = 0, dp = 0, pp = 0;  // of dense layers
  int etp = 0, ep = 0, edp = 0;        // of experts
  bool operator==(const Coordinates&) const = default;
};

Coordinates coordinates_of(const Layout& layout, int rank);
int rank_of(const Layout& layout, int tp, int cp, int dp, int pp);

/// A set of dimensions that the ranks of a process group differ in.
enum class Axis : std::uint8_t {
  tp,
  cp,
  cp_a2a,
  cp_p2p,
  dp,
  pp,
  dp_cp,
  tp_cp,
  tp_dp_cp,
  tp_pp,
  dp_replicate,
  dp_shard_cp,
  ep,
  etp,
  etp_ep,
  edp,
  edp_replicate,
  edp_shard,
  embedding,
  world,
};

struct AxisRow {
  Axis axis;
  std::string_view name;
  std::string_view what;
};

inline constexpr std::array<AxisRow, 20> kAxes = {{
    {Axis::tp, "tp", "shares each layer of a stage"},
    {Axis::cp, "cp", "shares each sequence"},
    {Axis::cp_a2a, "cp_a2a", "shares each sequence, and exchanges heads (hierarchical)"},
    {Axis::cp_p2p, "cp_p2p", "shares each sequence, in a ring (hierarchical)"},
    {Axis::dp, "dp", "holds the same parameters, other sequences"},
    {Axis::pp, "pp", "the stages of one pipeline"},
    {Axis::dp_cp, "dp_cp", "holds the same parameters: reduces their gradients"},
    {Axis::tp_cp, "tp_cp", "shares each micro-batch of a stage"},
    {Axis::tp_dp_cp, "tp_dp_cp", "all ranks of a stage"},
    {Axis::tp_pp, "tp_pp", "holds one copy of the model"},
    {Axis::dp_replicate, "dp_replicate", "holds the same shard of the parameters (HSDP)"},
    {Axis::dp_shard_cp, "dp_shard_cp", "holds one copy of the parameters in shards (FSDP, HSDP)"},
    {Axis::ep, "ep", "shares the experts of a layer"},
    {Axis::etp, "etp", "shares each expert"},
    {Axis::etp_ep, "etp_ep", "holds one copy of all experts of a layer"},
    {Axis::edp, "edp", "holds the same experts: reduces their gradients"},
    {Axis::edp_replicate, "edp_replicate", "holds the same shard of the same experts"},
    {Axis::edp_shard, "edp_shard", "holds one copy of its experts in shards"},
    {Axis::embedding, "embedding", "first and last stage: holds the tied embedding"},
    {Axis::world, "world", "all ranks"},
}};
static_assert(in_enum_order(kAxes, &AxisRow::axis));

constexpr std::string_view name_of(Axis axis) { return kAxes[static_cast<std::size_t>(axis)].name; }

/// How many ranks a group of this axis has.
int size_of(const Layout& layout, Axis axis);

/// The global ranks of the group of `axis` that `rank` belongs to, fastest dimension first. A rank
/// between first and last stage is alone in its embedding group.
std::vector<int> group(const Layout& layout, Axis axis, int rank);

/// All groups of an axis, by their smallest ranks; together each rank once.
std::vector<std::vector<int>> groups(const Layout& layout, Axis axis);

/// The position of `rank` in its group: what Plans call peers and roots by.
int position(const Layout& layout, Axis axis, int rank);

/// The nodes that the ranks of a group lie on, where every `ranks_per_node` ranks share one.
std::vector<int> nodes_of(const std::vector<int>& group, int ranks_per_node);

/// Which stage, of p*V, the chunk 0 <= `chunk` < V of a pipeline rank holds: chunk*p + pp.
int stage_of(const Layout& layout, int pp, int chunk);

}  // namespace collbench::model
