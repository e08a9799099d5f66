// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "report/figures.h"
#include "report/sections.h"
#include "results/plateau.h"
#include "results/step_parts.h"
#include "results/summary.h"
#include "results/verdicts.h"

namespace collbench::report {
namespace {

constexpr std::size_t kMostHeadlines = 6;
constexpr std::size_t kMostSteps = 3;  // of these

struct Best {
  const Record* row = nullptr;
  const Run* run = nullptr;
};

/// The best row of each collective, most first.
template <class IsBetter>
std::vector<Best> best_by_collective(std::span<const Run> runs, IsBetter is_better) {
  std::vector<Best> all;
  for (const Run& run : runs) {
    for (const Record& row : run.document.rows) {
      if (row.status != RowStatus::ok || !has_time(row)) continue;
      const auto found = std::find_if(all.begin(), all.end(), [&](const Best& best) {
        return best.row->key.collective == row.key.collective;
      });
      if (found == all.end()) {
        all.push_back({&row, &run});
      } else if (is_better(row, *found->row)) {
        *found = {&row, &run};
      }
    }
  }
  return all;
}

std::string where(const Best& best, std::size_t runs) {
  const RowKey& key = best.row->key;
  std::string text =
      fmt::format("{} of {}, {}, {}", key.collective, format_bytes(key.message_bytes),
                  counted(key.ranks, "rank"), key.in_place ? "in place" : "out of place");
  return runs > 1 ? text + ", " + best.run->name : text;
}

void add_rows(std::vector<Headline>& headlines, std::span<const Run> runs) {
  auto fastest = best_by_collective(runs, [](const Record& a, const Record& b) {
    return a.bus_bandwidth_Bps.value_or(0) > b.bus_bandwidth_Bps.value_or(0);
  });
  std::erase_if(fastest, [](const Best& best) { return !best.row->bus_bandwidth_Bps; });
  if (fastest.size() > 3) fastest.resize(3);
  for (const Best& best : fastest) {
    headlines.push_back({"Peak bus bandwidth", GB_per_s(best.row->bus_bandwidth_Bps) + " GB/s",
                         where(best, runs.size())});
  }
  const auto quickest = best_by_collective(runs, [](const Record& a, const Record& b) {
    return a.timing->median_s < b.timing->median_s;
  });
  for (const Best& best : quickest) {
    if (headlines.size() >= kMostHeadlines) return;
    headlines.push_back(
        {"Shortest time", duration(best.row->timing->median_s), where(best, runs.size())});
  }
}

/// The step of each pattern and model that has most ranks.
std::vector<const StepRecord*> largest_steps(std::span<const Run> runs) {
  std::vector<const StepRecord*> all;
  for (const Run& run : runs) {
    for (const StepRecord& step : run.document.steps) {
      if (step.status != RowStatus::ok || !step.step) continue;
      const auto found = std::find_if(all.begin(), all.end(), [&](const StepRecord* other) {
        return other->key.pattern == step.key.pattern && other->key.model == step.key.model;
      });
      if (found == all.end()) {
        all.push_back(&step);
      } else if (step.key.ranks > (*found)->key.ranks) {
        *found = &step;
      }
    }
  }
  return all;
}

void add_steps(std::vector<Headline>& headlines, std::span<const Run> runs) {
  for (const StepRecord* step : largest_steps(runs)) {
    if (headlines.size() >= kMostSteps) return;
    const auto throughput = tokens_per_s(*step);
    const auto exposed = exposed_share(*step);
    headlines.push_back(
        {"Training step", duration(step->step->median_s),
         fmt::format("{} of {}, {}{}{}", step->key.pattern, step->key.model,
                     counted(step->key.ranks, "rank"),
                     throughput ? fmt::format(", {} tokens/s", significant(*throughput)) : "",
                     exposed ? fmt::format(", {} % exposed", percent(*exposed)) : "")});
  }
}

std::string state_of(const Document& document) {
  if (document.incomplete) return "incomplete";
  std::string text(name_of(document.run.status));
  if (document.run.exit_status.value_or(0) != 0) {
    text += fmt::format(", exit status {}", *document.run.exit_status);
  }
  return text;
}

Tone tone_of(const Document& document) {
  const bool whole = !document.incomplete && document.run.status == RunStatus::complete &&
                     document.run.exit_status.value_or(0) == 0;
  return whole ? Tone::good : Tone::bad;
}

struct Counts {
  std::size_t ok = 0, wrong = 0, skipped = 0, failed = 0;

  void add(RowStatus status) {
    switch (status) {
      case RowStatus::ok:
        ++ok;
        break;
      case RowStatus::wrong:
        ++wrong;
        break;
      case RowStatus::skipped:
        ++skipped;
        break;
      case RowStatus::failed:
        ++failed;
        break;
    }
  }
};

Cell count_cell(std::size_t count, Tone tone) {
  return {fmt::format("{}", count), count == 0 ? Tone::plain : tone};
}

std::vector<Cell> cells_of(const Run& run) {
  const Document& document = run.document;
  Counts counts;
  for (const Record& row : document.rows) counts.add(row.status);
  for (const StepRecord& step : document.steps) counts.add(step.status);
  const Record* peak = peak_row(document.rows);
  const auto flat = plateau(document.rows);
  return {{run.name},
          {document.config.program},
          {state_of(document), tone_of(document)},
          count_cell(counts.ok, Tone::plain),
          count_cell(counts.wrong, Tone::bad),
          count_cell(counts.skipped, Tone::caution),
          count_cell(counts.failed, Tone::bad),
          {peak == nullptr ? "" : GB_per_s(peak->bus_bandwidth_Bps)},
          {flat ? fmt::format("{} from {}", GB_per_s(flat->bus_bandwidth_Bps),
                              format_bytes(flat->from_bytes))
                : ""},
          {GB_per_s(summarize(document.rows, document.cycles).mean_bus_bandwidth_Bps)}};
}

Figure runs_figure(std::span<const Run> runs) {
  Figure figure = {.title = "Runs",
                   .sentences = {"The plateau is the median bus bandwidth of the sizes that all "
                                 "have at least 90 % of the peak. The average is over all rows, "
                                 "so it only compares runs of one command."}};
  figure.table = Table{.columns = {{"run", true},
                                   {"program", true},
                                   {"end", true},
                                   {"ok"},
                                   {"wrong"},
                                   {"skipped"},
                                   {"failed"},
                                   {"peak busbw (GB/s)"},
                                   {"plateau (GB/s)"},
                                   {"average busbw (GB/s)"}},
                       .rows = {}};
  for (const Run& run : runs) figure.table->rows.push_back(cells_of(run));
  return figure;
}

std::string sentence_of(const Verdict& verdict) {
  const std::string what = verdict.requested_bytes
                               ? "bus bandwidth of " + format_bytes(*verdict.requested_bytes)
                               : std::string("average bus bandwidth");
  const std::string required = GB_per_s(verdict.required_Bps) + " GB/s asked for";
  switch (verdict.judgement) {
    case Judgement::met:
      return fmt::format("{} met: {} GB/s, {}", what, GB_per_s(verdict.found_Bps), required);
    case Judgement::not_met:
      return fmt::format("{} NOT met: {} GB/s, {}", what, GB_per_s(verdict.found_Bps), required);
    case Judgement::inconclusive:
      break;
  }
  return fmt::format("{} inconclusive: no row of status ok has one, {}", what, required);
}

Tone tone_of(Judgement judgement) {
  return judgement == Judgement::met       ? Tone::good
         : judgement == Judgement::not_met ? Tone::bad
                                           : Tone::caution;
}

void add_verdicts(Section& section, const Run& run) {
  const Document& document = run.document;
  for (const Verdict& verdict : judge(document.config.thresholds, document.rows, document.cycles)) {
    section.notes.push_back(
        {fmt::format("{}: {}", run.name, sentence_of(verdict)), tone_of(verdict.judgement)});
  }
}

}  // namespace

Section summary_section(std::span<const Run> runs) {
  Section section = {.id = "summary", .title = "Summary"};
  add_steps(section.headlines, runs);
  add_rows(section.headlines, runs);
  for (const Run& run : runs) add_verdicts(section, run);
  section.figures.push_back(runs_figure(runs));
  return section;
}

}  // namespace collbench::report
