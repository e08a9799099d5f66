// SPDX-License-Identifier: Apache-2.0
// RunReport: what rank 0 tells of a run while it goes: text on stdout, and the result file.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "app/run_main.h"
#include "cli/running_flags.h"
#include "results/document.h"
#include "results/step_parts.h"

namespace collbench {

/// One per rank, so that all go through the same steps; those of ranks other than 0 say nothing.
class RunReport {
 public:
  RunReport(RunContext& run, const RunningChoice& running);

  /// Everything that the run leaves behind; rows on rank 0 only.
  Document& document() { return document_; }
  const Document& document() const { return document_; }

  bool speaks() const { return run_.control().rank() == 0; }

  /// Makes the result file, if one is asked for. Throws UserError, the same on every rank.
  /// Collective over the run.
  void open_file();

  void print(const std::string& text);

  /// Passes on to the file what of the document is known only when all has been measured.
  void conclude();

  /// Adds a line to one of the document's lists, and to the file; a step as add_step does.
  template <class Line>
  void keep(std::vector<Line>& lines, const Line& line) {
    if (!speaks()) return;
    if constexpr (std::is_same_v<Line, StepRecord>) {
      add_step(lines, line);
    } else {
      lines.push_back(line);
    }
    if (file_ == nullptr) return;
    enter_writing();
    ended_ = !file_->append(line);
  }

 private:
  void enter_writing();

  RunContext& run_;
  const RunningChoice& running_;
  Document document_;
  ResultFile* file_ = nullptr;
  bool ended_ = false;  // by the watchdog, while this thread goes on
};

}  // namespace collbench
