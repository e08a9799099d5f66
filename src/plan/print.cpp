// SPDX-License-Identifier: Apache-2.0
#include "plan/print.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "model/axis_groups.h"
#include "plan/only_axes.h"
#include "plan/totals.h"

namespace collbench::plan {
namespace {

std::string describe_layout(const Plan& plan) {
  const model::Layout& l = plan.layout;
  std::string text = fmt::format("# {} of {}: {}, tp {} cp {} pp {} dp {}", plan.name, plan.model,
                                 counted(model::ranks(l), "rank"), l.tp, l.cp, l.pp, l.dp);
  if (l.vpp > 1) text += fmt::format(" vpp {}", l.vpp);
  if (l.cp_a2a > 1) text += fmt::format(" cp_a2a {}", l.cp_a2a);
  if (model::experts_apart(l)) {
    text += fmt::format(" ep {} etp {} edp {}", l.ep, model::expert_tp(l), model::expert_dp(l));
  }
  if (l.replicas > 1) text += fmt::format(", {} replicas of the shards", l.replicas);
  return text + fmt::format("\n# {} micro-batches of {} x {} tokens per pipeline\n",
                            plan.step.micro_batches, plan.step.micro_batch, plan.step.sequence);
}

std::string who(const Plan& plan, const RankClass& ranks) {
  return fmt::format("{}: {} from rank {}", name_of(plan, ranks), counted(ranks.ranks, "rank"),
                     ranks.first_rank);
}

std::string headline(const Plan& plan, const RankClass& ranks) {
  return fmt::format("{}, {} operations", who(plan, ranks), ranks.ops.size());
}

/// What follows who they are.
std::string totals_text(const Plan& plan, const RankClass& ranks) {
  std::string text = fmt::format(
      ", {} operations, {:.4g} TFLOP, buffers {} on the device, {} on the host\n", ranks.ops.size(),
      static_cast<double>(flops(ranks)) / 1e12, format_bytes(slot_bytes(ranks, Memory::device)),
      format_bytes(slot_bytes(ranks, Memory::host)));
  text += fmt::format("#   {:<14}{:<16}{:>6}{:>10}{:>20}{:>20}\n", "axis", "operation", "ranks",
                      "messages", "message bytes", "bytes sent");
  for (const Total& total : totals(plan, ranks)) {
    text += fmt::format("    {:<14}{:<16}{:>6}{:>10}{:>20}{:>20}\n", model::name_of(total.axis),
                        total.name(), total.group_size, total.messages, total.message_bytes,
                        total.sent_bytes());
  }
  return text + fmt::format("    {:<46}{:>40}\n", "all", sent_bytes(plan, ranks));
}

std::string numbers(const std::vector<OpIndex>& ops) {
  std::string text;
  for (const OpIndex op : ops) text += fmt::format("{}{}", text.empty() ? "" : ",", op);
  return text.empty() ? "-" : text;
}

std::string what(const Plan& plan, const RankClass& ranks, const Op& op) {
  switch (op.kind) {
    case OpKind::compute:
      return fmt::format("compute {:.4g} GFLOP", static_cast<double>(flops(op)) / 1e9);
    case OpKind::copy:
      return "copy " + format_bytes(op.bytes);
    case OpKind::wait:
      return "wait";
    case OpKind::communicate:
      break;
  }
  std::string text;
  for (const Message& message : op.messages) {
    if (!text.empty()) text += " + ";
    text += describe(plan, message, &ranks);
  }
  return text;
}

using Use = std::pair<Collective, bool>;  // and whether within a node

/// How the links serve the messages of a class, by its first rank.
std::set<Use> uses_of(const Plan& plan, const RankClass& ranks, const LinkModel& links) {
  std::map<model::Axis, std::vector<int>> groups;
  std::set<Use> uses;
  for (const Op& op : ranks.ops) {
    for (const Message& message : op.messages) {
      const auto [found, is_new] = groups.try_emplace(message.axis);
      std::vector<int>& group = found->second;
      if (is_new) group = model::group(plan.layout, message.axis, ranks.first_rank);
      if (group.size() < 2) continue;
      if (message.kind == MessageKind::collective) {
        uses.emplace(message.collective, place_of(links, group).nodes == 1);
      } else {
        const int peer = group[static_cast<std::size_t>(message.peer)];
        uses.emplace(Collective::sendrecv, place_of(links, {ranks.first_rank, peer}).nodes == 1);
      }
    }
  }
  return uses;
}

/// What the messages of a plan are that no measurement of the links is of.
std::set<Use> unmeasured(const Plan& plan, const LinkModel& links) {
  std::set<Use> uses;
  for (const RankClass& ranks : plan.classes) uses.merge(uses_of(plan, ranks, links));
  std::erase_if(uses, [&](const Use& use) { return is_measured(links, use.first, use.second); });
  return uses;
}

}  // namespace

std::string describe(const Plan& plan, const Message& message, const RankClass* ranks) {
  const std::string axis =
      std::string(model::name_of(message.axis)) + (message.pair ? " pair" : "");
  std::string where = axis;
  if (message.kind == MessageKind::send) where = fmt::format("{}->{}", axis, message.peer);
  if (message.kind == MessageKind::recv) where = fmt::format("{}<-{}", axis, message.peer);
  std::string text =
      fmt::format("{} {} {} {}", name_of(message), where,
                  format_bytes(message_bytes(plan, message)), collbench::name_of(message.type));
  const bool reduces =
      message.kind == MessageKind::collective && traffic::row_of(message.collective).reduces;
  if (reduces && message.op != ReduceOp::sum) {
    text += fmt::format(" {}", collbench::name_of(message.op));
  }
  if (message.matrix == kNoMatrix) return text;
  text += fmt::format(", max/mean {:.2f}", traffic::max_over_mean(plan.matrices[message.matrix]));
  if (ranks == nullptr) return text;
  const auto bytes = [](ByteRange range) { return format_bytes(range.last - range.first); };
  return text + fmt::format(", {} out, {} in", bytes(range_read(plan, *ranks, message)),
                            bytes(range_written(plan, *ranks, message)));
}

std::string describe_totals(const Plan& plan) {
  std::string text = describe_layout(plan);
  std::map<std::string, std::string> first_with;  // a class by what is said of it
  for (const RankClass& ranks : plan.classes) {
    const auto [known, is_new] =
        first_with.try_emplace(totals_text(plan, ranks), name_of(plan, ranks));
    text += "# " + who(plan, ranks);
    text += is_new ? known->first : fmt::format(", as {}\n", known->second);
  }
  return text;
}

std::string describe_groups(const Plan& plan, int ranks_per_node) {
  constexpr std::size_t kMostGroups = 3;
  std::string text;
  for (const model::Axis axis : axes_of(plan)) {
    text += model::describe(
        model::axis_groups(plan.layout, axis, ranks_per_node, std::nullopt), kMostGroups,
        fmt::format("collbench layout --axis {} prints them", model::name_of(axis)));
  }
  return text;
}

std::string describe_left_out(const Plan& plan) {
  std::string text;
  for (const std::string& what : plan.left_out) text += fmt::format("# not in it: {}\n", what);
  return text;
}

bool all_measured(const Plan& plan, const LinkModel& links) {
  return unmeasured(plan, links).empty();
}

std::string describe_unmeasured(const Plan& plan, const LinkModel& links) {
  if (links.measured.empty()) return "";
  std::string text;
  for (const auto& [operation, within_node] : unmeasured(plan, links)) {
    text +=
        fmt::format("# not in --links: {} {}, which takes what {} says\n",
                    traffic::row_of(operation).name, within_node ? "within a node" : "across nodes",
                    within_node ? "--node-link" : "--network-link");
  }
  return text;
}

std::string describe_ops(const Plan& plan) {
  std::string text;
  for (const RankClass& ranks : plan.classes) {
    text += fmt::format("# {}\n# {:>5}  {:<10}{:<14}what\n", headline(plan, ranks), "op", "stream",
                        "after");
    for (std::size_t i = 0; i < ranks.ops.size(); ++i) {
      const Op& op = ranks.ops[i];
      const bool on_host = op.kind == OpKind::wait;
      text += fmt::format("  {:>5}  {:<10}{:<14}{}  [{}]\n", i,
                          on_host ? "host" : plan.streams[static_cast<std::size_t>(op.stream)],
                          numbers(op.after), what(plan, ranks, op), op.label);
    }
  }
  return text;
}

}  // namespace collbench::plan
