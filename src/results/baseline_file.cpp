// SPDX-License-Identifier: Apache-2.0
#include "results/baseline_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/errors.h"
#include "results/json.h"
#include "results/open_file.h"

namespace collbench {
namespace {

using Say = std::function<void(const std::string&)>;

/// Of all processes that change a file at most one has this.
class Lock {
 public:
  Lock(const std::string& path, const Say& say)
      : descriptor_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) throw UserError(fmt::format("{}: {}", path, std::strerror(errno)));
    try {
      wait(path, say);
    } catch (...) {
      close(descriptor_);
      throw;
    }
  }
  ~Lock() { close(descriptor_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  void wait(const std::string& path, const Say& say) const {
    using namespace std::chrono_literals;
    constexpr std::chrono::seconds kPatience = 60s;
    constexpr std::chrono::milliseconds kPause = 20ms, kSilence = 1s;
    for (std::chrono::milliseconds waited = 0ms; flock(descriptor_, LOCK_EX | LOCK_NB) != 0;
         waited += kPause) {
      if (errno != EWOULDBLOCK) throw UserError(fmt::format("{}: {}", path, std::strerror(errno)));
      if (waited >= kPatience) {
        throw UserError(
            fmt::format("{}: another process has held this lock for {} s; end it, or try later",
                        path, kPatience.count()));
      }
      if (waited == kSilence && say) {
        say(fmt::format("{}: another process has this lock; waiting for up to {} s", path,
                        kPatience.count()));
      }
      std::this_thread::sleep_for(kPause);
    }
  }

  int descriptor_;
};

/// The document on one line. Texts in JSON have no ends of lines, so these stand between members.
std::string one_line_of(const Document& document) {
  std::string line;
  bool at_start = false;
  for (const char c : to_json(document)) {
    at_start = c == '\n' || (at_start && c == ' ');
    if (!at_start) line += c;
  }
  return line + '\n';
}

/// A line of a baseline is a result file of one line: only names keep one from becoming the other.
void require_name_of_baseline(const std::string& path) {
  if (!path.ends_with(".json")) return;
  throw UserError(fmt::format(
      "{}: result files are called so, and baselines .jsonl; name the baseline first", path));
}

std::vector<Document> parse(std::string_view text, const std::string& path) {
  std::vector<Document> launches;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (text.substr(0, end).find_first_not_of(" \t\r") == std::string_view::npos) {
      throw UserError(fmt::format("{}, line {}: is empty, where a run should be; remove the line",
                                  path, number));
    }
    launches.push_back(
        document_from_json(text.substr(0, end), fmt::format("{}, line {}", path, number)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return launches;
}

/// The file itself where the name is that of a link to it, which may not be there yet.
std::string without_links(std::string path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;  // as the kernel has it
  std::error_code error;
  for (int links = 0; fs::is_symlink(path, error); ++links) {
    if (links == kMostLinks) throw UserError(fmt::format("{}: too many links", path));
    path = fs::path(path).parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

}  // namespace

std::vector<Document> read_baseline(const std::string& path) {
  require_name_of_baseline(path);
  return parse(read_file(path), path);
}

void change_baseline(const std::string& name,
                     const std::function<std::vector<Document>(std::vector<Document>)>& change,
                     const Say& say) {
  const std::string path = without_links(name);
  require_name_of_baseline(path);
  require_replaceable(path);
  const Lock lock(path + ".lock", say);
  const std::string before = read_file_if_there(path).value_or("");
  std::string after;
  for (const Document& launch : change(parse(before, path))) after += one_line_of(launch);
  if (after != before) replace_file(path, after);
}

}  // namespace collbench
