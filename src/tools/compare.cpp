// SPDX-License-Identifier: Apache-2.0
// `collbench compare`: what became slower between two sets of launches.
#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "analysis/baseline.h"
#include "analysis/compare.h"
#include "import/result_set.h"
#include "results/baseline_file.h"
#include "tools/commands.h"
#include "tools/comparing.h"

namespace collbench {
namespace {

/// One side, one document at a time, since files may be large.
class SideReader {
 public:
  explicit SideReader(const std::vector<std::string>& filters) : collector_(filters) {}

  void read(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      for (const std::string& file : result_files(name)) {
        const std::vector<Document> documents = read_results(file);
        for (std::size_t i = 0; i < documents.size(); ++i) {
          add(documents.size() == 1 ? file : fmt::format("{}, run {}", file, i + 1), documents[i]);
        }
      }
    }
  }

  /// Launches that are comparable with those of `other`, and none of these themselves.
  void read_baseline_of(const SideReader& other, const std::string& file) {
    for (const Document& launch : read_baseline(file)) {
      if (other.runs_.count(launch.run.id) > 0) continue;
      if (other.fingerprints_.count(fingerprint(launch)) == 0) continue;
      add(fmt::format("{}, run {}", file, launch.run.id), launch);
    }
    if (!runs_.empty()) return;
    throw UserError(
        fmt::format("{}: has no other launch of the same program on an equal machine; collbench "
                    "baseline show says which it has",
                    file));
  }

  LaunchCollector& collector() { return collector_; }

 private:
  void add(const std::string& name, const Document& document) {
    collector_.add(name, document);
    fingerprints_.insert(fingerprint(document));
    runs_.insert(document.run.id);
  }

  LaunchCollector collector_;
  std::set<std::string> fingerprints_, runs_;
};

}  // namespace

ExitStatus run(const CompareToolOptions& options) {
  if (options.print_rules) {
    fmt::print("{}", default_compare_rules_text());
    return ExitStatus::ok;
  }
  std::vector<std::string> inputs = options.base;
  inputs.insert(inputs.end(), options.candidate.begin(), options.candidate.end());
  if (options.baseline) inputs.push_back(*options.baseline);
  require_writable(options.comparing, inputs);
  const CompareRules rules = read_rules(options.comparing.rules_file);
  SideReader base_side(options.comparing.filters), candidate_side(options.comparing.filters);
  base_side.read(options.base);
  candidate_side.read(options.candidate);
  if (options.baseline) base_side.read_baseline_of(candidate_side, *options.baseline);
  const Sides sides = take_sides(base_side.collector(), candidate_side.collector(), rules);
  return finish_comparison(compare(sides.base, sides.candidate, rules, options.comparing.compare),
                           options.comparing);
}

}  // namespace collbench
