// SPDX-License-Identifier: Apache-2.0
// `collbench baseline`: keeps the latest good launches, to hold new ones against.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/baseline.h"
#include "analysis/compare.h"
#include "analysis/compare_words.h"
#include "import/result_set.h"
#include "report/baseline_text.h"
#include "results/baseline_file.h"
#include "tools/commands.h"

namespace collbench {
namespace {

/// What the launch is slower in than those of the same fingerprint; nothing where in nothing.
std::optional<std::string> regression(const std::vector<Document>& launches,
                                      const Document& launch) {
  const std::string own = fingerprint(launch);
  LaunchCollector before, now;
  for (const Document& other : launches) {
    if (fingerprint(other) == own) before.add(other.run.id, other);
  }
  now.add(launch.run.id, launch);
  const Launches base = before.take(), candidate = now.take();
  if (base.launches.empty()) return std::nullopt;
  const Comparison comparison =
      compare(base, candidate, parse_compare_rules(default_compare_rules_text()));
  const bool slower = comparison.verdict == OverallVerdict::regression ||
                      comparison.verdict == OverallVerdict::mixed;
  return slower ? std::optional(summary_line(comparison)) : std::nullopt;
}

/// What becomes of each launch, one line each on stdout.
class Adding {
 public:
  Adding(const BaselineOptions& options, std::vector<Document> launches)
      : options_(options), launches_(std::move(launches)) {}

  void add(Document launch) {
    const std::string name = fmt::format("run {} of {}", launch.run.id, launch.config.program);
    const bool is_known =
        std::any_of(launches_.begin(), launches_.end(),
                    [&](const Document& other) { return other.run.id == launch.run.id; });
    if (is_known) return say(name, "is there already");
    if (const auto reason = unfit_reason(launch)) return leave_out(name, *reason);
    launch = baseline_launch(std::move(launch));
    if (!options_.with_regressions) {
      if (const auto reason = regression(launches_, launch)) {
        return leave_out(name, *reason + "; --with-regressions adds it all the same");
      }
    }
    launches_.push_back(std::move(launch));
    say(name, "added");
  }

  std::vector<Document> take() { return pruned(by_start(std::move(launches_)), options_.most); }
  bool all_added() const { return all_added_; }

 private:
  void leave_out(const std::string& name, const std::string& reason) {
    all_added_ = false;
    say(name, "NOT added: " + reason);
  }

  static void say(const std::string& name, const std::string& what) {
    fmt::print("{}: {}\n", name, what);
  }

  const BaselineOptions& options_;
  std::vector<Document> launches_;
  bool all_added_ = true;
};

void say(const std::string& sentence) { print_message(sentence.c_str()); }

ExitStatus add(const BaselineOptions& options) {
  std::vector<Document> documents = by_start(read_results(options.files));
  bool all_added = true;
  change_baseline(
      options.baseline,
      [&](std::vector<Document> launches) {
        Adding adding(options, std::move(launches));
        for (Document& document : documents) adding.add(std::move(document));
        all_added = adding.all_added();
        return adding.take();
      },
      say);
  return all_added ? ExitStatus::ok : ExitStatus::verdict_failed;
}

ExitStatus show(const BaselineOptions& options) {
  fmt::print("{}", baseline_text(summarize_baseline(by_start(read_baseline(options.baseline)))));
  return ExitStatus::ok;
}

ExitStatus prune(const BaselineOptions& options) {
  read_baseline(options.baseline);  // of a file that is not there nothing can be removed
  change_baseline(
      options.baseline,
      [&](std::vector<Document> launches) {
        const std::size_t before = launches.size();
        std::vector<Document> kept = pruned(by_start(std::move(launches)), options.most);
        fmt::print("{} launches removed, {} kept\n", before - kept.size(), kept.size());
        return kept;
      },
      say);
  return ExitStatus::ok;
}

}  // namespace

ExitStatus run(const BaselineOptions& options) {
  switch (options.action) {
    case BaselineAction::add:
      return add(options);
    case BaselineAction::show:
      return show(options);
    case BaselineAction::prune:
      return prune(options);
  }
  throw std::logic_error("an action without a function");
}

}  // namespace collbench
