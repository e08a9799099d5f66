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
#include "plan/totals.h"

namespace collbench::plan {
namespace {

std::string describe_layout(const Plan& plan) {
  const model::Layout& l = plan.layout;
  std::string text = fmt::format("# {} of {}: {}, tp {} cp {} pp {} dp {}", plan.name, plan.model,
                                 counted(model::ranks(l), "rank"), l.tp, l.cp, l.pp, l.dp);
  if (l.vpp > 1) text += fmt::format(" vpp {}", l.vpp);
  if (model::experts_apart(l)) {
    text += fmt::format(" ep {} etp {} edp {}", l.ep, model::expert_tp(l), model::expert_dp(l));
  }
  if (l.replicas > 1) text += fmt::format(", {} replicas of the shards", l.replicas);
  return text + fmt::format("\n# {} micro-batches of {} x {} tokens per pipeline\n",
                            plan.step.micro_batches, plan.step.micro_batch, plan.step.sequence);
}

std::string headline(const Plan& plan, const RankClass& ranks) {
  return fmt::format("{}: {} rank{} from rank {}, {} operations", name_of(plan, ranks), ranks.ranks,
                     ranks.ranks == 1 ? "" : "s", ranks.first_rank, ranks.ops.size());
}

std::string numbers(const std::vector<OpIndex>& ops) {
  std::string text;
  for (const OpIndex op : ops) text += fmt::format("{}{}", text.empty() ? "" : ",", op);
  return text.empty() ? "-" : text;
}

std::string what(const Plan& plan, const Op& op) {
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
    text += describe(plan, message);
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

}  // namespace

std::string describe(const Plan& plan, const Message& message) {
  const int size = model::size_of(plan.layout, message.axis);
  const std::string axis =
      std::string(model::name_of(message.axis)) + (message.pair ? " pair" : "");
  std::string where = axis;
  if (message.kind == MessageKind::send) where = fmt::format("{}->{}", axis, message.peer);
  if (message.kind == MessageKind::recv) where = fmt::format("{}<-{}", axis, message.peer);
  return fmt::format("{} {} {} {}", name_of(message), where,
                     format_bytes(message_bytes(message, size)), collbench::name_of(message.type));
}

std::string describe_totals(const Plan& plan) {
  std::string text = describe_layout(plan);
  for (const RankClass& ranks : plan.classes) {
    text += fmt::format("# {}, {:.4g} TFLOP, buffers {} on the device, {} on the host\n",
                        headline(plan, ranks), static_cast<double>(flops(ranks)) / 1e12,
                        format_bytes(slot_bytes(ranks, Memory::device)),
                        format_bytes(slot_bytes(ranks, Memory::host)));
    text += fmt::format("#   {:<14}{:<16}{:>6}{:>10}{:>20}{:>20}\n", "axis", "operation", "ranks",
                        "messages", "message bytes", "bytes sent");
    for (const Total& total : totals(plan, ranks)) {
      text += fmt::format("    {:<14}{:<16}{:>6}{:>10}{:>20}{:>20}\n", model::name_of(total.axis),
                          total.name(), total.group_size, total.messages, total.message_bytes,
                          total.sent_bytes());
    }
    text += fmt::format("    {:<46}{:>40}\n", "all", sent_bytes(plan, ranks));
  }
  return text;
}

std::string describe_groups(const Plan& plan, int ranks_per_node) {
  constexpr std::size_t kMostGroups = 3;
  std::set<model::Axis> axes;
  for (const RankClass& ranks : plan.classes) {
    for (const Total& total : totals(plan, ranks)) axes.insert(total.axis);
  }
  std::string text;
  for (const model::Axis axis : axes) {
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

std::string describe_unmeasured(const Plan& plan, const LinkModel& links) {
  if (links.measured.empty()) return "";
  std::set<Use> uses;
  for (const RankClass& ranks : plan.classes) uses.merge(uses_of(plan, ranks, links));
  std::string text;
  for (const auto& [operation, within_node] : uses) {
    if (is_measured(links, operation, within_node)) continue;
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
                          numbers(op.after), what(plan, op), op.label);
    }
  }
  return text;
}

}  // namespace collbench::plan
