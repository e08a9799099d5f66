// SPDX-License-Identifier: Apache-2.0
#include "analysis/environment_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace collbench {
namespace {

using Facts = std::map<std::string, std::string>;
using Texts = std::set<std::string>;

std::string joined(const Texts& texts) { return fmt::format("{}", fmt::join(texts, " | ")); }

void add(Facts& facts, const std::string& name, const std::string& text) {
  if (!text.empty()) facts[name] = text;
}

/// What all of them have, once each, whatever their order.
template <class Items, class Get>
std::string all_of(const Items& items, Get get) {
  Texts texts;
  for (const auto& item : items) {
    const std::string text = get(item);
    if (!text.empty()) texts.insert(text);
  }
  return joined(texts);
}

Texts names_in(std::span<const EnvironmentFacts> launches, Facts EnvironmentFacts::*kind) {
  Texts names;
  for (const EnvironmentFacts& launch : launches) {
    for (const auto& [name, text] : launch.*kind) names.insert(name);
  }
  return names;
}

Texts values_of(std::span<const EnvironmentFacts> launches, Facts EnvironmentFacts::*kind,
                const std::string& name) {
  Texts values;
  for (const EnvironmentFacts& launch : launches) {
    const auto found = (launch.*kind).find(name);
    if (found != (launch.*kind).end()) values.insert(found->second);
  }
  return values;
}

/// Whether no launch of the one side can be one of the other. What one side says nothing of, as
/// files of other programs do, contradicts nothing.
bool contradict(const Texts& before, const Texts& after) {
  const auto in_after = [&](const std::string& text) { return after.count(text) > 0; };
  return !before.empty() && !after.empty() && std::none_of(before.begin(), before.end(), in_after);
}

void add_differences(std::vector<EnvironmentDifference>& differences,
                     std::span<const EnvironmentFacts> base,
                     std::span<const EnvironmentFacts> candidate, Facts EnvironmentFacts::*kind,
                     const Texts& mixed = {}) {
  Texts names = names_in(base, kind);
  names.merge(names_in(candidate, kind));
  for (const std::string& name : names) {
    const Texts before = values_of(base, kind, name);
    const Texts after = values_of(candidate, kind, name);
    const bool is_mixed = mixed.count(name) > 0;
    if (before == after && !is_mixed) continue;
    const bool is_hard = is_mixed || (kind == &EnvironmentFacts::hard && contradict(before, after));
    differences.push_back({name, is_hard, joined(before), joined(after)});
  }
}

/// "4 on each of 2 hosts, one after the other"; nothing of one host.
std::string placement_of(const Environment& environment) {
  const std::size_t hosts = environment.hosts.size();
  if (hosts < 2 || environment.ranks.empty()) return "";
  std::vector<std::size_t> counts(hosts);
  bool ascend = true, in_turns = true;
  for (std::size_t rank = 0; rank < environment.ranks.size(); ++rank) {
    const auto host = static_cast<std::size_t>(environment.ranks[rank].host);
    if (host >= hosts) return "";
    ++counts[host];
    in_turns = in_turns && host == rank % hosts;
    ascend =
        ascend && (rank == 0 || environment.ranks[rank - 1].host <= environment.ranks[rank].host);
  }
  const bool even = std::all_of(counts.begin(), counts.end(),
                                [&](std::size_t count) { return count == counts[0]; });
  const std::string how = even && counts[0] == 1 ? ""
                          : ascend               ? ", one after the other"
                          : in_turns             ? ", in turns"
                                                 : ", in no order";
  if (even) return fmt::format("{} on each of {} hosts{}", counts[0], hosts, how);
  return fmt::format("{} on {} hosts{}", fmt::join(counts, ", "), hosts, how);
}

/// What NCCL was asked for, by the flags that do.
void add_nccl(Facts& facts, const NcclFacts& nccl) {
  add(facts, "--buffers", nccl.buffers);
  add(facts, "-R", nccl.registration);
  add(facts, "--alltoall", nccl.exchanges);
  for (const auto& [field, value] : nccl.fields) add(facts, "--nccl-config " + field, value);
}

}  // namespace

EnvironmentFacts environment_facts(const Document& document) {
  const Environment& environment = document.environment;
  EnvironmentFacts facts;
  add(facts.hard, "backend", document.config.backend);
  add(facts.hard, "CPU model",
      all_of(environment.hosts, [](const HostFacts& host) { return host.cpu_model; }));
  add(facts.hard, "device model",
      all_of(environment.ranks, [](const RankFacts& rank) { return rank.device_model; }));
  if (!environment.hosts.empty()) {
    facts.hard["hosts"] = fmt::format("{}", environment.hosts.size());
  }
  const auto cores = [](const HostFacts& host) { return fmt::format("{}", host.cores); };
  add(facts.soft, "cores", all_of(environment.hosts, cores));
  add(facts.soft, "kernel",
      all_of(environment.hosts, [](const HostFacts& host) { return host.kernel; }));
  add(facts.soft, "topology",
      all_of(environment.hosts, [](const HostFacts& host) { return host.topology_digest; }));
  add(facts.soft, "ranks", placement_of(environment));
  add(facts.soft, "CPUs of a rank",
      all_of(environment.ranks, [](const RankFacts& rank) { return rank.cpus; }));
  for (const auto& [name, version] : environment.libraries) add(facts.soft, name, version);
  for (const auto& [name, value] : environment.variables) add(facts.soft, name, value);
  add(facts.soft, "collbench", document.run.version);
  add(facts.soft, "commit", document.run.git_commit);
  add(facts.soft, "compiler", document.run.compiler);
  add(facts.soft, "compiler flags", document.run.flags);
  add(facts.soft, "waiting", document.config.wait_policy);
  add(facts.soft, "--interfere", document.config.interfere);
  add_nccl(facts.soft, document.config.nccl);
  return facts;
}

std::vector<EnvironmentDifference> environment_differences(
    std::span<const EnvironmentFacts> base, std::span<const EnvironmentFacts> candidate,
    const std::set<std::string>& mixed) {
  std::vector<EnvironmentDifference> differences;
  add_differences(differences, base, candidate, &EnvironmentFacts::hard, mixed);
  add_differences(differences, base, candidate, &EnvironmentFacts::soft);
  return differences;
}

std::set<std::string> mixed_machines(std::span<const EnvironmentFacts* const> launches) {
  std::map<std::string_view, std::string_view> first;
  std::set<std::string> mixed;
  for (const EnvironmentFacts* launch : launches) {
    for (const auto& [name, text] : launch->hard) {
      if (first.emplace(name, text).first->second != text) mixed.insert(name);
    }
  }
  return mixed;
}

std::vector<std::string> uneven_facts(std::span<const EnvironmentFacts> launches) {
  std::vector<std::string> uneven;
  for (const auto kind : {&EnvironmentFacts::hard, &EnvironmentFacts::soft}) {
    for (const std::string& name : names_in(launches, kind)) {
      const auto has_it = [&](const EnvironmentFacts& launch) {
        return (launch.*kind).count(name) > 0;
      };
      if (values_of(launches, kind, name).size() > 1 ||
          !std::all_of(launches.begin(), launches.end(), has_it)) {
        uneven.push_back(name);
      }
    }
  }
  return uneven;
}

}  // namespace collbench
