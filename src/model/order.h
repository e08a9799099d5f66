// SPDX-License-Identifier: Apache-2.0
// Order: which coordinates of a rank vary fastest, as frameworks number their ranks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace collbench::model {

/// The factors of N as an order names them; experts read tp as etp and dp as edp.
enum class Dimension : std::uint8_t { tp, cp, ep, dp, pp };

/// The fastest-varying first: ranks next to each other differ in it.
using Order = std::array<Dimension, 5>;

inline constexpr Order kMegatronOrder = {Dimension::tp, Dimension::cp, Dimension::ep, Dimension::dp,
                                         Dimension::pp};

/// How a framework numbers its ranks.
struct NamedOrder {
  std::string_view name;
  Order order;
};

inline constexpr std::array<NamedOrder, 4> kOrders = {{
    {"megatron", kMegatronOrder},    // core/parallel_state.py: tp-cp-ep-dp-pp
    {"torchtitan", kMegatronOrder},  // its mesh is [pp, dp_replicate, dp_shard, cp, tp]
    {"deepspeed", kMegatronOrder},   // PipeModelDataParallelTopology is [pipe, data, model]
    {"llama3",                       // arXiv 2407.21783, section 3.3.2: [TP, CP, PP, DP]
     {Dimension::tp, Dimension::cp, Dimension::ep, Dimension::pp, Dimension::dp}},
}};

/// A name, or all five dimensions, the fastest first: "tp-cp-ep-dp-pp". Throws UserError.
Order parse_order(std::string_view text, std::string_view flag);

/// "tp-cp-ep-dp-pp"
std::string format(const Order& order);

}  // namespace collbench::model
