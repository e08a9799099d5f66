// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <tuple>

#include "base/counted.h"
#include "report/sections.h"

namespace collbench::report {
namespace {

std::string sentence_of(const RunFacts& run, std::string_view what) {
  return run.message.empty() ? std::string(what) : fmt::format("{}: {}", what, run.message);
}

std::string noun_of(const Document& document) { return document.config.pattern ? "step" : "row"; }

std::size_t measured(const Document& document) {
  return document.config.pattern ? document.steps.size() : document.rows.size();
}

void add_end(std::vector<Note>& notes, const Run& run) {
  const Document& document = run.document;
  const auto say = [&](const std::string& text) {
    notes.push_back({fmt::format("{}: {}", run.name, text), Tone::bad});
  };
  if (document.incomplete) {
    say(fmt::format("incomplete: the run was killed, or still goes on; {} so far",
                    counted(measured(document), noun_of(document))));
    return;
  }
  switch (document.run.status) {
    case RunStatus::complete:
      break;
    case RunStatus::running:
      say("the run has not written its end");
      break;
    case RunStatus::error:
      say(sentence_of(document.run, "ended by an error"));
      break;
    case RunStatus::timeout:
      say(sentence_of(document.run, "ended by a deadline"));
      break;
    case RunStatus::interrupted:
      say(sentence_of(document.run, "interrupted"));
      break;
  }
  if (measured(document) == 0) say("nothing was measured");
}

// Of one run; a reader who needs them all has the tables.
constexpr std::size_t kMostReasons = 12;

/// Rows of one status and reason are one note, the worst first.
class Reasons {
 public:
  void add(RowStatus status, const std::string& reason, const std::string& which) {
    if (status == RowStatus::ok) return;
    Rows& rows = rows_[{severity(status), name_of(status), reason}];
    if (rows.count++ == 0) rows.first = which;
  }

  void say(std::vector<Note>& notes, const Run& run) const {
    std::size_t said = 0, unsaid_rows = 0;
    for (const auto& [kind, rows] : rows_) {
      if (said < kMostReasons) {
        notes.push_back(note_of(kind, rows, run));
        ++said;
      } else {
        unsaid_rows += rows.count;
      }
    }
    if (unsaid_rows == 0) return;
    notes.push_back({fmt::format("{}: {} more, with {}: see the tables", run.name,
                                 counted(unsaid_rows, noun_of(run.document)),
                                 counted(rows_.size() - said, "further reason")),
                     Tone::caution});
  }

 private:
  using Kind = std::tuple<int, std::string_view, std::string>;  // severity, status, reason

  struct Rows {
    std::size_t count = 0;
    std::string first;
  };

  static constexpr int kSkipped = 2;

  static int severity(RowStatus status) {
    return status == RowStatus::wrong ? 0 : status == RowStatus::failed ? 1 : kSkipped;
  }

  static Note note_of(const Kind& kind, const Rows& rows, const Run& run) {
    const auto& [severity, status, reason] = kind;
    const std::string which =
        rows.count > 1 ? ", first " + rows.first : fmt::format(" ({})", rows.first);
    return {fmt::format("{}: {} {}{}: {}", run.name, counted(rows.count, noun_of(run.document)),
                        status, which, reason.empty() ? "no reason is in the file" : reason),
            severity == kSkipped ? Tone::caution : Tone::bad};
  }

  std::map<Kind, Rows> rows_;
};

std::string which_row(const Record& row) {
  return fmt::format("{} {} {}", row.key.collective,
                     format_bytes(row.timing ? row.key.message_bytes : row.requested_bytes),
                     row.key.in_place ? "in place" : "out of place");
}

std::string which_step(const StepRecord& step) {
  return fmt::format("{} of {} on {}", step.key.pattern, step.key.model,
                     counted(step.key.ranks, "rank"));
}

}  // namespace

std::vector<Note> problems_of(std::span<const Run> runs) {
  std::vector<Note> notes;
  for (const Run& run : runs) {
    add_end(notes, run);
    Reasons reasons;
    for (const Record& row : run.document.rows) reasons.add(row.status, row.reason, which_row(row));
    for (const StepRecord& step : run.document.steps) {
      reasons.add(step.status, step.reason, which_step(step));
    }
    reasons.say(notes, run);
  }
  return notes;
}

}  // namespace collbench::report
