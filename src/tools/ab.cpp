// SPDX-License-Identifier: Apache-2.0
// `collbench ab`: two commands in turns, and what differs between them.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare.h"
#include "analysis/interleaved.h"
#include "base/one_line.h"
#include "import/result_set.h"
#include "results/open_file.h"
#include "tools/child_process.h"
#include "tools/commands.h"
#include "tools/comparing.h"

namespace collbench {
namespace {

namespace fs = std::filesystem;

/// Where the files of launches go.
class Folder {
 public:
  /// `kept` is the name of a new or empty folder; empty: one that goes with this object.
  explicit Folder(const std::string& kept) : is_kept_(!kept.empty()), path_(kept) {
    if (!is_kept_) {
      std::string name = fs::temp_directory_path() / "collbench-ab-XXXXXX";
      if (mkdtemp(name.data()) == nullptr) throw SystemError("a temporary folder cannot be made");
      path_ = name;
      return;
    }
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) throw UserError(fmt::format("--keep {}: {}", kept, error.message()));
    if (!fs::is_empty(path_, error)) {
      throw UserError(fmt::format(
          "--keep {}: the folder has files already; name another, or remove them", kept));
    }
  }
  ~Folder() {
    std::error_code ignored;
    if (!is_kept_) fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void keep() { is_kept_ = true; }

  std::string file(const std::string& name) const { return path_ / name; }
  std::string what_stays() const {
    return is_kept_ ? fmt::format("the files are in {}", path_.string())
                    : "the files are gone, --keep DIR keeps them";
  }
  /// Why a launch may have failed without a word: its words had no room.
  bool is_full() const {
    constexpr std::uintmax_t kLittle = 64 << 10;
    std::error_code error;
    const fs::space_info space = fs::space(path_, error);
    return !error && space.available < kLittle;
  }
  std::string name() const { return path_.string(); }

 private:
  bool is_kept_;
  fs::path path_;
};

void say(const std::string& text) { fmt::print(stderr, "{}\n", text); }

/// The last lines of what a launch printed.
std::string last_lines(const std::string& file) {
  constexpr std::size_t kMost = 2000;
  const std::string text = read_file_if_there(file).value_or("");
  if (text.size() <= kMost) return text;
  const std::size_t line = text.find('\n', text.size() - kMost);
  return line == std::string::npos ? text.substr(text.size() - kMost) : text.substr(line + 1);
}

/// How the program ends when a launch ends otherwise than it should.
struct Stop {
  ExitStatus status;
};

class Launcher {
 public:
  Launcher(const AbOptions& options, const Folder& folder) : options_(options), folder_(folder) {}

  /// All launches in turns. Returns nothing where all ended well. Throws UserError, after one
  /// launch of each side, where these cannot be compared as is asked for.
  std::optional<Stop> run(const CompareRules& rules) {
    for (const Turn& turn : interleaved(options_.runs)) {
      if (auto stop = run(turn)) return stop;
      if (++done_ == 2) sides_of(1, rules);
    }
    return std::nullopt;
  }

  void stop_watching() { signals_.reset(); }

  Sides sides(const CompareRules& rules) const { return sides_of(options_.runs, rules); }

  bool has_begun() const { return done_ > 0; }

  /// Of launches that are done and could not be compared.
  void say_what_is_done() const {
    say(fmt::format("collbench: {} of {} launches are done, {}", done_, 2 * options_.runs,
                    folder_.what_stays()));
  }

 private:
  Sides sides_of(std::size_t launches, const CompareRules& rules) const {
    LaunchCollector base = side(Side::base, launches);
    LaunchCollector candidate = side(Side::candidate, launches);
    return take_sides(base, candidate, rules);
  }

  /// Throws UserError where the file of a launch holds several runs: each would count as one.
  LaunchCollector side(Side side, std::size_t launches) const {
    LaunchCollector collector(options_.comparing.filters);
    for (std::size_t number = 1; number <= launches; ++number) {
      const std::string file = folder_.file(file_name({side, number}));
      const std::vector<Document> documents = read_results(file);
      if (documents.size() != 1) {
        throw UserError(
            fmt::format("{}: holds {} runs, and one launch is one run: let the command "
                        "start one program",
                        file, documents.size()));
      }
      collector.add(file, documents[0]);
    }
    return collector;
  }

  static std::string file_name(const Turn& turn) {
    return fmt::format("{}{}.json", turn.side == Side::base ? 'a' : 'b', turn.number);
  }

  std::optional<Stop> run(const Turn& turn) {
    const std::string file = folder_.file(file_name(turn));
    const std::string printed = file.substr(0, file.size() - 5) + ".txt";
    std::vector<std::string> command = turn.side == Side::base ? options_.base : options_.candidate;
    command.insert(command.end(), {"-J", file});
    const ChildEnd end = signals_->run(command, printed, options_.launch_timeout_s);
    const std::string what = fmt::format("launch {} of {}, {}{}", done_ + 1, 2 * options_.runs,
                                         turn.side == Side::base ? 'A' : 'B', turn.number);
    if (end.interrupted) return interrupted(what, *end.interrupted);
    if (end.timed_out) {
      return stopped(ExitStatus::deadline, printed,
                     fmt::format("{}: not done after {:g} s (--launch-timeout)", what,
                                 options_.launch_timeout_s));
    }
    if (end.status != 0) {
      // These say what a comparison found, and a launcher's 1 only that something went wrong.
      const bool like_a_verdict = end.status == static_cast<int>(ExitStatus::verdict_failed) ||
                                  end.status == static_cast<int>(ExitStatus::inconclusive);
      return stopped(
          like_a_verdict ? ExitStatus::system_error : static_cast<ExitStatus>(end.status), printed,
          fmt::format("{}: ended with status {}", what, end.status));
    }
    if (!exists(file)) {
      return stopped(ExitStatus::user_error, printed,
                     fmt::format("{}: ended well, but wrote no file; it has to take -J FILE as its "
                                 "last flag",
                                 what));
    }
    say(fmt::format("{}: {:.1f} s", what, end.elapsed_s));
    return std::nullopt;
  }

  std::optional<Stop> stopped(ExitStatus status, const std::string& printed,
                              const std::string& message) const {
    print_message(message.c_str());
    if (folder_.is_full()) {
      say(
          fmt::format("{} has no space left for the files of launches: --keep DIR names another "
                      "folder",
                      one_line(folder_.name())));
    }
    const std::string last = last_lines(printed);
    for (std::size_t begin = 0; begin < last.size();) {
      const std::size_t end = std::min(last.find('\n', begin), last.size());
      say(one_line(std::string_view(last).substr(begin, end - begin)));
      begin = end + 1;
    }
    return Stop{status};
  }

  std::optional<Stop> interrupted(const std::string& what, int signal) const {
    print_message(
        fmt::format("{}: ended by SIG{}; {}, {}", what, sigabbrev_np(signal),
                    fmt::format("{} {} done", done_, done_ == 1 ? "launch is" : "launches are"),
                    folder_.what_stays())
            .c_str());
    return Stop{signal == SIGINT ? ExitStatus::interrupted : ExitStatus::terminated};
  }

  const AbOptions& options_;
  const Folder& folder_;
  std::optional<WatchedSignals> signals_{std::in_place};  // while launches go on
  std::size_t done_ = 0;
};

}  // namespace

ExitStatus run(const AbOptions& options) {
  require_writable(options.comparing);
  const CompareRules rules = read_rules(options.comparing.rules_file);
  Folder folder(options.folder);
  Launcher launcher(options, folder);
  // Launches may have taken hours.
  const auto keep = [&] {
    if (!launcher.has_begun()) return;
    folder.keep();
    launcher.say_what_is_done();
  };
  try {
    if (const auto stop = launcher.run(rules)) return stop->status;
    launcher.stop_watching();  // what is left can be ended as any program
    const Sides sides = launcher.sides(rules);
    return finish_comparison(compare(sides.base, sides.candidate, rules, options.comparing.compare),
                             options.comparing);
  } catch (const UserError&) {
    keep();
    throw;
  } catch (const SystemError&) {
    keep();
    throw;
  }
}

}  // namespace collbench
