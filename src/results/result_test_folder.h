// SPDX-License-Identifier: Apache-2.0
// What the tests of result files share: a folder of their own, and child processes to kill.
#pragma once

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "results/example_document.h"
#include "results/result_file.h"

namespace collbench {

namespace fs = std::filesystem;

/// A folder that goes with its test.
class ResultFolder {
 protected:
  ResultFolder() {
    std::string name = fs::temp_directory_path() / "result_file_test.XXXXXX";
    folder_ = mkdtemp(name.data());
    path_ = folder_ / "out.json";
    rows_ = folder_ / "out.json.rows";
  }
  ~ResultFolder() {
    chmod(folder_.c_str(), 0755);
    fs::remove_all(folder_);
  }

  std::unique_ptr<ResultFile> create(bool force = false) {
    return ResultFile::create(path_, example::started(), force);
  }

  std::string error_of_create(const fs::path& path, bool force = false) {
    try {
      ResultFile::create(path, example::started(), force);
    } catch (const UserError& e) {
      return e.what();
    }
    return "no error";
  }

  /// The names in the folder.
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.insert(entry.path().filename());
    return names;
  }

  void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

  static std::string read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_, path_, rows_;
};

/// Runs `work` in a child process and returns how that ended, as waitpid does.
inline int in_child(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      work();
    } catch (...) {
      _exit(99);
    }
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace collbench
