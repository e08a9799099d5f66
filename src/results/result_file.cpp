// SPDX-License-Identifier: Apache-2.0
#include "results/result_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <utility>

#include "results/json.h"
#include "results/step_parts.h"

namespace collbench {
namespace {

std::string rows_path(const std::string& path) { return path + ".rows"; }

// Also with --force: two runs that write one file would both end well, and one result be lost.
void refuse_file_in_use(const std::string& path) {
  if (!is_in_use(rows_path(path))) return;
  throw UserError(fmt::format("{}: another run is writing it; choose another name", path));
}

void refuse_existing(const std::string& path) {
  if (exists(rows_path(path))) {
    throw UserError(
        fmt::format("{}: its rows are in {}, so a run was killed while it wrote them; "
                    "choose another name, or give --force to remove both",
                    path, rows_path(path)));
  }
  if (exists(path)) {
    throw UserError(
        fmt::format("{}: this file exists; choose another name, or give --force to "
                    "replace it",
                    path));
  }
}

}  // namespace

std::unique_ptr<ResultFile> ResultFile::create(const std::string& path, Document start, bool force,
                                               std::chrono::milliseconds patience) {
  if (path.empty()) throw UserError("the name of the results file is empty");
  require_file_name(path);
  refuse_file_in_use(path);
  if (!force) refuse_existing(path);
  start.run.status = RunStatus::running;
  start.rows.clear();
  start.cycles.clear();
  start.steps.clear();
  try {
    // Old rows go first, or a kill in between would join them to the new document. The new rows'
    // file is made before the document: only one of several runs can create it.
    if (force) remove_file(rows_path(path));
    OpenFile rows(rows_path(path), O_EXCL | O_APPEND);
    rows.hold();
    try {
      replace_file(path, to_json(start));
    } catch (const SystemError&) {
      remove_file(rows_path(path));
      throw;
    }
    return std::unique_ptr<ResultFile>(
        new ResultFile(path, std::move(start), std::move(rows), patience));
  } catch (const SystemError& e) {
    throw UserError(fmt::format("{}; choose a file that can be written", e.what()));
  }
}

ResultFile::ResultFile(std::string path, Document start, OpenFile rows,
                       std::chrono::milliseconds patience)
    : path_(std::move(path)),
      patience_(patience),
      document_(std::move(start)),
      rows_(std::move(rows)) {}

std::unique_lock<std::timed_mutex> ResultFile::lock() {
  std::unique_lock lock(mutex_, patience_);
  if (lock.owns_lock()) return lock;
  throw SystemError(fmt::format("{}: another thread has been writing for {} ms without an end",
                                path_, patience_.count()));
}

namespace {

template <class Line>
void add_to(std::vector<Line>& list, const Line& line) {
  list.push_back(line);
}
void add_to(std::vector<StepRecord>& list, const StepRecord& step) { add_step(list, step); }

}  // namespace

template <class Line>
bool ResultFile::append_to(std::vector<Line> Document::*list, const Line& line) {
  const std::string text = to_json_line(line) + "\n";
  const auto locked = lock();
  if (finished_as_) return false;
  rows_.append(text);
  add_to(document_.*list, line);
  return true;
}

bool ResultFile::append(const Record& row) { return append_to(&Document::rows, row); }

bool ResultFile::append(const CycleRow& cycle) { return append_to(&Document::cycles, cycle); }

bool ResultFile::append(const StepRecord& step) { return append_to(&Document::steps, step); }

bool ResultFile::conclude(const Document& measured) {
  const auto locked = lock();
  if (finished_as_) return false;
  document_.environment.libraries = measured.environment.libraries;
  document_.scaling = measured.scaling;
  document_.gpu_memory = measured.gpu_memory;
  return true;
}

ExitStatus ResultFile::finish(RunStatus status, ExitStatus exit_status, std::string message,
                              std::string ended) {
  const auto locked = lock();
  if (finished_as_) return *finished_as_;
  const RunFacts before = document_.run;
  document_.run.status = status;
  document_.run.exit_status = static_cast<int>(exit_status);
  document_.run.message = std::move(message);
  document_.run.ended = std::move(ended);
  bool lasts = false;
  try {
    lasts = replace_file(path_, to_json(document_));
  } catch (...) {
    document_.run = before;
    throw;
  }
  finished_as_ = exit_status;
  // FILE says from now on how the run ended, so nothing may change that. Should the disk lose the
  // new FILE in a crash of the host, the rows are what is left.
  if (lasts) remove_if_possible(rows_path(path_));
  return exit_status;
}

namespace {

void append_rows(Document& document, const std::string& text, const std::string& path) {
  std::size_t line = 0;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string source = fmt::format("{}, line {}", path, ++line);
    add_line(document, std::string_view(text).substr(begin, end - begin), source);
  }
}

}  // namespace

std::vector<Document> read_runs(const std::string& path, std::string text) {
  for (bool again = false;; again = true) {
    std::vector<Document> runs = documents_from_json(text, path);
    Document& run = runs.front();
    // Of a set, what is incomplete is marked so, and has no FILE.rows.
    if (runs.size() > 1 || run.incomplete || run.run.status != RunStatus::running) return runs;
    const auto rows = read_file_if_there(rows_path(path));
    if (rows || again) {
      if (rows) append_rows(run, *rows, rows_path(path));
      run.incomplete = true;
      return runs;
    }
    // Without rows the run may have ended since the look at FILE: that needs another look.
    text = read_file(path);
  }
}

Document read_document(const std::string& path) {
  std::vector<Document> runs = read_runs(path, read_file(path));
  if (runs.size() == 1) return std::move(runs.front());
  throw UserError(fmt::format("{}: holds {} runs, and one is wanted", path, runs.size()));
}

}  // namespace collbench
