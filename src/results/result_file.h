// SPDX-License-Identifier: Apache-2.0
// ResultFile: a run's file while the run goes on, and reading such files in any state.
//
// FILE is a complete document at every moment: at first with status `running` and no rows, at the
// end replaced as a whole. Rows in between go to FILE.rows, one JSON line each, so that a run that
// is killed loses nothing: both files stay, and readers join them.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/errors.h"
#include "results/document.h"
#include "results/open_file.h"

namespace collbench {

/// Of one run, on the rank that writes. Thread-safe: a watchdog may finish the file while the
/// rank's thread is at a row. Destroyed without finish, it leaves both files as a kill would.
class ResultFile {
 public:
  /// How long a call waits for another one that is at the file, before it gives up with
  /// SystemError: a file system that hangs must not keep a watchdog from ending the run.
  static constexpr std::chrono::milliseconds kPatience{2000};

  /// Writes `start` to `path` and opens `path`.rows. Files that are there already are refused
  /// unless `force`, which replaces the one and removes the other. Throws UserError whatever goes
  /// wrong: nothing has been measured yet, and another path will do.
  static std::unique_ptr<ResultFile> create(const std::string& path, Document start, bool force,
                                            std::chrono::milliseconds patience = kPatience);

  /// Adds a row, what a soak keeps of one in a cycle, or a step, with one write and no fsync. It
  /// outlives this process, however that ends; only a crash of the host can lose it. Waiting for
  /// the disk would cost milliseconds per row on a network file system, on one rank alone, between
  /// measurements. finish waits for it once.
  ///
  /// Throws SystemError, and leaves the files as they were, when the row cannot be written. After
  /// finish it does nothing and returns false: the run has ended.
  bool append(const Record& row);
  bool append(const CycleRow& cycle);
  bool append(const StepRecord& step);

  /// What is known only when all has been measured, for the whole document: of `measured` its
  /// libraries and its scaling. Returns as append.
  bool conclude(const Document& measured);

  /// Replaces FILE by the whole document (temporary file, fsync, rename, fsync of the folder), then
  /// removes FILE.rows. The first call that replaces FILE decides how the run ended; every call
  /// returns the exit status that FILE holds, which the run should end with. Throws SystemError,
  /// and leaves the files as they were, when FILE cannot be replaced. FILE.rows may be left over,
  /// which does not matter to readers.
  ExitStatus finish(RunStatus status, ExitStatus exit_status, std::string message = "",
                    std::string ended = utc_now_rfc3339());

 private:
  ResultFile(std::string path, Document start, OpenFile rows, std::chrono::milliseconds patience);
  std::unique_lock<std::timed_mutex> lock();
  template <class Line>
  bool append_to(std::vector<Line> Document::*list, const Line& line);

  const std::string path_;
  const std::chrono::milliseconds patience_;
  std::timed_mutex mutex_;  // guards what is below
  Document document_;
  OpenFile rows_;
  std::optional<ExitStatus> finished_as_;
};

/// The runs in FILE: one, or those of a merged set. `text` is what FILE held a moment ago.
/// A run that never wrote its end is joined with FILE.rows, as read_document does. Throws
/// UserError.
std::vector<Document> read_runs(const std::string& path, std::string text);

/// The document in FILE, which holds one run; of a run that never wrote its end, joined with
/// FILE.rows and marked `incomplete`. A last line of FILE.rows without its end is one that a kill
/// cut off, and dropped. Throws UserError of one sentence for whatever cannot be read.
Document read_document(const std::string& path);

}  // namespace collbench
