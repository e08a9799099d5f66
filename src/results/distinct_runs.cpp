// SPDX-License-Identifier: Apache-2.0
#include "results/distinct_runs.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "base/errors.h"

namespace collbench {
namespace {

std::size_t measured(const Document& run) {
  return run.rows.size() + run.cycles.size() + run.steps.size();
}

bool says_more(const Document& run, const Document& other) {
  if (run.incomplete != other.incomplete) return other.incomplete;
  return run.incomplete && measured(run) > measured(other);
}

void require_same(const Document& run, const Document& other) {
  if (run.incomplete || other.incomplete || run == other) return;
  throw UserError(fmt::format(
      "run {} is there twice, and not alike: one was changed after the run; leave one out",
      run.run.id));
}

}  // namespace

std::vector<Document> distinct_runs(std::vector<Document> runs) {
  std::vector<Document> distinct;
  std::map<std::string, std::size_t> by_id;
  for (Document& run : runs) {
    const auto [found, is_new] = by_id.emplace(run.run.id, distinct.size());
    if (is_new) {
      distinct.push_back(std::move(run));
      continue;
    }
    Document& kept = distinct[found->second];
    require_same(run, kept);
    if (says_more(run, kept)) kept = std::move(run);
  }
  return distinct;
}

}  // namespace collbench
