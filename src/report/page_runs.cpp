// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/environment_facts.h"
#include "report/sections.h"

namespace collbench::report {
namespace {

std::string command_of(const RunConfig& config) {
  std::string text = config.program;
  for (const std::string& argument : config.arguments) text += " " + argument;
  return text;
}

Figure commands_figure(std::span<const Run> runs) {
  Figure figure = {.title = "Commands"};
  Table table = {.columns = {{"run", true},
                             {"command", true},
                             {"started", true},
                             {"ranks"},
                             {"hosts"},
                             {"backend", true},
                             {"collbench", true},
                             {"commit", true}},
                 .rows = {}};
  for (const Run& run : runs) {
    const Document& document = run.document;
    table.rows.push_back({{run.name},
                          {command_of(document.config)},
                          {document.run.started},
                          {fmt::format("{}", document.environment.ranks.size())},
                          {fmt::format("{}", document.environment.hosts.size())},
                          {document.config.backend},
                          {document.run.version},
                          {document.run.git_commit}});
  }
  figure.table = std::move(table);
  return figure;
}

std::string names_of_runs(const std::set<std::string>& names, std::size_t all) {
  if (names.size() == all) return "all";
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Each host once, however many runs it was in.
Figure hosts_figure(std::span<const Run> runs) {
  std::map<std::vector<std::string>, std::set<std::string>> hosts;
  for (const Run& run : runs) {
    for (const HostFacts& host : run.document.environment.hosts) {
      hosts[{host.name, host.cpu_model, fmt::format("{}", host.cores),
             format_bytes(host.memory_bytes), host.kernel, host.topology_digest}]
          .insert(run.name);
    }
  }
  Figure figure = {.title = "Hosts"};
  Table table = {.columns = {{"host", true},
                             {"processor", true},
                             {"cores"},
                             {"memory"},
                             {"kernel", true},
                             {"topology", true},
                             {"runs", true}},
                 .rows = {}};
  for (const auto& [facts, names] : hosts) {
    std::vector<Cell> cells;
    for (const std::string& fact : facts) cells.push_back({fact});
    cells.push_back({names_of_runs(names, runs.size())});
    table.rows.push_back(std::move(cells));
  }
  figure.table = std::move(table);
  return figure;
}

/// What a run's speed depends on besides the command; hard facts are those of other machines.
std::map<std::string, std::string> environment_of(const Document& document) {
  EnvironmentFacts facts = environment_facts(document);
  facts.hard.merge(facts.soft);
  return facts.hard;
}

struct Environments {
  std::vector<std::map<std::string, std::string>> by_run;
  std::set<std::string> names;
};

bool is_equal(const Environments& all, const std::string& name) {
  const auto value = [&](const auto& facts) {
    const auto found = facts.find(name);
    return found == facts.end() ? std::string() : found->second;
  };
  return std::all_of(all.by_run.begin(), all.by_run.end(),
                     [&](const auto& facts) { return value(facts) == value(all.by_run.front()); });
}

Figure common_figure(const Environments& all) {
  Figure figure = {.title = all.by_run.size() == 1 ? "Environment" : "What all environments share"};
  Table table = {.columns = {{"what", true}, {"value", true}}, .rows = {}};
  for (const std::string& name : all.names) {
    if (is_equal(all, name)) table.rows.push_back({{name}, {all.by_run.front().at(name)}});
  }
  figure.table = std::move(table);
  return figure;
}

std::optional<Figure> differences_figure(std::span<const Run> runs, const Environments& all) {
  Table table = {.columns = {{"what", true}}, .rows = {}};
  for (const Run& run : runs) table.columns.push_back({run.name, true});
  for (const std::string& name : all.names) {
    if (is_equal(all, name)) continue;
    std::vector<Cell> cells = {{name}};
    for (const auto& facts : all.by_run) {
      const auto found = facts.find(name);
      cells.push_back(found == facts.end() ? Cell{"not set", Tone::caution} : Cell{found->second});
    }
    table.rows.push_back(std::move(cells));
  }
  if (table.rows.empty()) return std::nullopt;
  Figure figure = {.title = "In what the environments differ"};
  figure.sentences = {"A difference in time between these runs may come from any of it."};
  figure.table = std::move(table);
  return figure;
}

}  // namespace

Section runs_section(std::span<const Run> runs) {
  Section section = {.id = "runs", .title = "What was run, and where"};
  Environments all;
  for (const Run& run : runs) {
    all.by_run.push_back(environment_of(run.document));
    for (const auto& [name, value] : all.by_run.back()) all.names.insert(name);
  }
  section.figures.push_back(commands_figure(runs));
  if (runs.size() > 1) {
    if (auto figure = differences_figure(runs, all)) {
      section.figures.push_back(std::move(*figure));
    } else {
      section.sentences = {"The environments do not differ in anything that is recorded."};
    }
  }
  section.figures.push_back(hosts_figure(runs));
  section.figures.push_back(common_figure(all));
  return section;
}

}  // namespace collbench::report
