// SPDX-License-Identifier: Apache-2.0
#include "import/nccl_tests_text.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "import/log_lines.h"
#include "import/nccl_tests_header.h"
#include "import/nccl_tests_table.h"

namespace collbench {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::string_view kSettings = "# nThread ";
constexpr std::string_view kVersion = "# nccl-tests version ";
constexpr std::string_view kStarting = "# Collective test starting: ";

// ---- from line to line

class Reader {
 public:
  void read(const LogLine& line) {
    if (read_start(line) || runs_.empty()) return;
    NcclTestsRun& run = runs_.back();
    if (line.text.starts_with("#  Rank") && line.text.ends_with("...")) {
      devices_left_out_ = true;  // a process's part of the list was too long
    } else if (auto device = nccl_tests_device(line)) {
      run.devices.push_back(std::move(*device));
    } else if (auto columns = nccl_tests_columns(line)) {
      columns_ = std::move(*columns);
      run.has_largest_deviation =
          std::find(columns_.names.begin(), columns_.names.end(), "error") != columns_.names.end();
    } else if (line.text.starts_with('#')) {
      read_comment(line, run);
    } else if (line.text.find(": Test ") != std::string_view::npos &&
               line.text.find(" failure") != std::string_view::npos && run.failure.empty()) {
      run.failure = line.text;
    } else {
      read_row(line, run);
    }
  }

  std::vector<NcclTestsRun> runs() {
    for (NcclTestsRun& run : runs_) {
      if (!run.devices.empty() && !devices_left_out_) {
        run.ranks = static_cast<int>(run.devices.size());
      }
    }
    return std::move(runs_);
  }

 private:
  /// A line that a run's output begins with. The newest versions have three of them.
  bool read_start(const LogLine& line) {
    const std::string_view text = line.text;
    if (text.starts_with("# collbench ") || text.starts_with("# imported from ")) {
      say(line, "this table is one of collbench: read the file that -J wrote, which says more");
    }
    if (text.starts_with(kVersion)) {
      begin(false);
      const Words words = words_of(text.substr(kVersion.size()));
      if (!words.empty()) runs_.back().version = words[0];
      const std::size_t code = text.find("nccl-library=");
      if (code != std::string_view::npos) {
        runs_.back().nccl_code = parse_small(text.substr(code + 13)).value_or(0);
      }
    } else if (text.starts_with(kStarting)) {
      begin(!runs_.empty() && runs_.back().program.empty());
      runs_.back().program = text.substr(kStarting.size());
    } else if (text.starts_with(kSettings)) {
      begin(!runs_.empty());
      runs_.back().settings = nccl_tests_settings(line);
    } else {
      return false;
    }
    return true;
  }

  void begin(bool may_go_on) {
    if (may_go_on && !runs_.back().settings) return;
    runs_.emplace_back();
    columns_ = {};
  }

  void read_comment(const LogLine& line, NcclTestsRun& run);

  void read_row(const LogLine& line, NcclTestsRun& run) {
    if (columns_.names.empty()) return;
    const Words words = words_of(line.text);
    if (!begins_like_a_row(words)) return;
    if (!line.whole && words.size() < columns_.names.size()) return;  // cut off
    run.rows.push_back(nccl_tests_row(line, words, columns_));
  }

  std::vector<NcclTestsRun> runs_;
  NcclTestsColumns columns_;
  bool devices_left_out_ = false;
};

void Reader::read_comment(const LogLine& line, NcclTestsRun& run) {
  const Words words = words_of(line.text.substr(1));
  const auto is = [&](std::initializer_list<std::string_view> start) {
    return words.size() >= start.size() && std::equal(start.begin(), start.end(), words.begin());
  };
  const auto after_colon = [&] { return words.size() > 4 ? words[4] : std::string_view(); };
  if (is({"Blocking", "Enabled:"}) && run.settings) {
    run.settings->mode = nccl_tests_mode(line.text);
  } else if (is({"group"})) {
    say(line, "a table of groups of ranks cannot be imported: read the file that -J wrote");
  } else if (is({"Out", "of", "bounds", "values", ":"})) {
    run.out_of_bounds = words.size() > 5 ? parse_whole(words[5]) : std::nullopt;
  } else if (is({"Avg", "bus", "bandwidth", ":"})) {
    run.average_GBps = parse_printed(after_colon());
    run.ended = true;
  } else if (is({"Collective", "test", "incomplete:"})) {
    run.ended = false;
  } else if (is({"Collective", "test", "ended", "early:"})) {
    run.failure =
        line.text.substr(std::min<std::size_t>(line.text.find("early: ") + 7, line.text.size()));
  }
}

}  // namespace

bool looks_like_nccl_tests(std::string_view text) {
  return text.find(kSettings) != std::string_view::npos ||
         (text.find("#") != std::string_view::npos &&
          text.find("algbw   busbw") != std::string_view::npos);
}

std::vector<NcclTestsRun> nccl_tests_runs(std::string_view text) {
  std::vector<NcclTestsRun> runs;
  for (const std::vector<LogLine>& process : log_lines(text)) {
    Reader reader;
    for (const LogLine& line : process) reader.read(line);
    for (NcclTestsRun& run : reader.runs()) runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace collbench
