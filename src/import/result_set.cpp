// SPDX-License-Identifier: Apache-2.0
#include "import/result_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "import/import.h"
#include "results/open_file.h"
#include "results/result_file.h"

namespace collbench {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    std::error_code of_link;
    if (path.extension() == ".json" && !fs::is_directory(path, of_link)) {
      files.push_back(path.string());
    }
  }
  if (error) throw UserError(fmt::format("{}: {}", folder, error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

/// Of other programs what is known without asking a person; collbench import takes the rest.
std::vector<Document> runs_of(const std::string& file) {
  std::string text = read_file(file);
  const auto format = recognise(text);
  if (!format) return read_runs(file, std::move(text));
  ImportedRuns imported = import_runs(*format, text, file, {});
  if (imported.left_out.empty()) return std::move(imported.runs);
  throw UserError(
      fmt::format("{}: {}; collbench import takes the rest", file, imported.left_out[0]));
}

}  // namespace

std::vector<std::string> result_files(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> files = files_in(path);
  if (files.empty()) {
    throw UserError(fmt::format("{}: this folder has no *.json; name the files themselves", path));
  }
  return files;
}

std::vector<Document> read_results(const std::string& path) {
  std::vector<Document> runs;
  for (const std::string& file : result_files(path)) {
    std::vector<Document> read = runs_of(file);
    std::move(read.begin(), read.end(), std::back_inserter(runs));
  }
  return runs;
}

std::vector<Document> read_results(const std::vector<std::string>& paths) {
  std::vector<Document> runs;
  for (const std::string& path : paths) {
    std::vector<Document> read = read_results(path);
    std::move(read.begin(), read.end(), std::back_inserter(runs));
  }
  return runs;
}

}  // namespace collbench
