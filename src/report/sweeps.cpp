// SPDX-License-Identifier: Apache-2.0
#include "report/sweeps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace collbench::report {
namespace {

constexpr std::size_t kNamed = 3;  // collective, type, operation: in every title

Facts facts_of(const Run& run, const Record& row) {
  Facts facts = line_facts(row.key);
  facts.push_back(row.cycle ? fmt::format("cycle {}", *row.cycle) : "");
  facts.push_back(run.name);
  return facts;
}

/// Finds by facts, in the order of appearance.
class Gathered {
 public:
  void add(std::size_t run_index, const Run& run, const Record& row) {
    Sweep& sweep = sweeps_[find(sweep_index_, sweep_facts(row.key), sweeps_)];
    Facts facts = facts_of(run, row);
    // Two files may have been given the same name by no fault of anybody's.
    auto& index = line_index_[{&sweep - sweeps_.data(), run_index}];
    const auto [found, is_new] = index.try_emplace(facts, sweep.lines.size());
    if (is_new) sweep.lines.push_back({.run = run_index, .facts = facts, .label = {}, .rows = {}});
    sweep.lines[found->second].rows.push_back(&row);
  }

  std::vector<Sweep> take() { return std::move(sweeps_); }

 private:
  static std::size_t find(std::map<Facts, std::size_t>& index, Facts facts,
                          std::vector<Sweep>& sweeps) {
    const auto [found, is_new] = index.try_emplace(facts, sweeps.size());
    if (is_new)
      sweeps.push_back({.facts = std::move(facts), .title = {}, .method = {}, .lines = {}});
    return found->second;
  }

  std::vector<Sweep> sweeps_;
  std::map<Facts, std::size_t> sweep_index_;
  std::map<std::pair<std::ptrdiff_t, std::size_t>, std::map<Facts, std::size_t>> line_index_;
};

void name_lines(Sweep& sweep) {
  std::vector<Facts> facts;
  for (const SweepLine& line : sweep.lines) facts.push_back(line.facts);
  const std::vector<std::string> names = labels(facts);
  for (std::size_t i = 0; i < names.size(); ++i) sweep.lines[i].label = names[i];
  const std::string common = shared(facts);
  if (!common.empty()) sweep.method += "; " + common;
}

bool is_smaller(const Record* a, const Record* b) {
  const auto size = [](const Record* row) {
    return row->timing ? row->key.message_bytes : row->requested_bytes;
  };
  return size(a) < size(b);
}

}  // namespace

bool has_time(const Record& row) { return row.timing && row.timing->median_s > 0; }

std::vector<Sweep> sweeps_of(std::span<const Run> runs) {
  Gathered gathered;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const Record& row : runs[r].document.rows) gathered.add(r, runs[r], row);
  }
  std::vector<Sweep> sweeps = gathered.take();
  std::vector<Facts> facts;
  for (const Sweep& sweep : sweeps) facts.push_back(sweep.facts);
  const std::vector<std::string> titles = labels(facts, kNamed);
  const std::string method = shared(facts, kNamed);
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    sweeps[i].title = titles[i];
    sweeps[i].method = method;
    name_lines(sweeps[i]);
    for (SweepLine& line : sweeps[i].lines) {
      std::stable_sort(line.rows.begin(), line.rows.end(), is_smaller);
    }
  }
  return sweeps;
}

}  // namespace collbench::report
