// SPDX-License-Identifier: Apache-2.0
#include "cli/cost_flags.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "cli/numbers.h"
#include "results/open_file.h"

namespace collbench {
namespace {

/// "2:450": microseconds and GB/s.
plan::Link parse_link(const std::string& text, std::string_view flag) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    throw UserError(fmt::format(
        "{}: '{}' is no link; give its latency in microseconds and its GB/s, as 5:50", flag, text));
  }
  const std::string latency = text.substr(0, colon);
  plan::Link link;
  link.latency_s = latency == "0" ? 0 : parse_positive(latency, flag, "microseconds") / 1e6;
  link.bandwidth_Bps = parse_positive(text.substr(colon + 1), flag, "GB/s") * 1e9;
  return link;
}

// "2:450", as parse_link reads it.
std::string to_text(const plan::Link& link) {
  return fmt::format("{:g}:{:g}", link.latency_s * 1e6, link.bandwidth_Bps / 1e9);
}

}  // namespace

void CostFlags::declare(CommandLine& line) {
  const plan::Costs usual;
  line.heading("Prediction");
  line.value("--ranks-per-node", ranks_per_node_,
             fmt::format("ranks that share a node ({})", usual.links.ranks_per_node));
  line.value("--node-link", node_,
             fmt::format("US:GBps of a rank within its node ({})", to_text(usual.links.node)));
  line.value("--network-link", network_,
             fmt::format("US:GBps of a rank to other nodes ({})", to_text(usual.links.network)));
  line.value("--links", links_, "measured links instead: a file that collbench fit has written");
  line.flag("--own-links", own_links_,
            "whatever goes over a link at the same time has it whole, and does not share it");
  line.value(
      "--tflops", tflops_,
      fmt::format("TFLOP/s that products of matrices reach ({:g})", usual.compute.flops / 1e12));
  line.value("--memory-GBps", memory_,
             fmt::format("GB/s of a copy within a device ({:g})", usual.compute.memory_Bps / 1e9));
}

plan::Costs CostFlags::read() const {
  plan::Costs costs;
  if (ranks_per_node_) {
    const std::uint64_t ranks = parse_count(*ranks_per_node_, "--ranks-per-node", 1);
    if (ranks > 1 << 20) {
      throw UserError(fmt::format("--ranks-per-node {}: no node has so many", ranks));
    }
    costs.links.ranks_per_node = static_cast<int>(ranks);
  }
  if (node_) costs.links.node = parse_link(*node_, "--node-link");
  if (network_) costs.links.network = parse_link(*network_, "--network-link");
  costs.links.shared = !own_links_;
  if (links_) costs.links.measured = plan::parse_measured_links(read_file(*links_), *links_);
  if (tflops_) costs.compute.flops = parse_positive(*tflops_, "--tflops", "TFLOP/s") * 1e12;
  if (memory_) costs.compute.memory_Bps = parse_positive(*memory_, "--memory-GBps", "GB/s") * 1e9;
  return costs;
}

}  // namespace collbench
