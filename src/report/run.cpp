// SPDX-License-Identifier: Apache-2.0
#include "report/run.h"

#include <algorithm>
#include <map>

namespace collbench::report {
namespace {

std::string without_suffix(const std::string& path) {
  constexpr std::string_view kSuffix = ".json";
  return path.ends_with(kSuffix) && path.size() > kSuffix.size()
             ? path.substr(0, path.size() - kSuffix.size())
             : path;
}

/// The last `parts` components of a path.
std::string end_of(const std::string& path, std::size_t parts) {
  std::size_t at = path.size();
  for (std::size_t i = 0; i < parts && at != std::string::npos && at > 0; ++i) {
    at = path.rfind('/', at - 1);
  }
  return at == std::string::npos ? path : path.substr(at == path.size() ? 0 : at + 1);
}

}  // namespace

std::vector<std::string> short_names(std::span<const std::string> paths) {
  std::vector<std::string> names;
  std::vector<std::size_t> parts(paths.size(), 1);
  for (const std::string& path : paths) names.push_back(end_of(without_suffix(path), 1));
  for (bool changed = true; changed;) {
    changed = false;
    std::map<std::string, int> uses;
    for (const std::string& name : names) ++uses[name];
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (uses[names[i]] < 2) continue;
      const std::string longer = end_of(without_suffix(paths[i]), ++parts[i]);
      changed = changed || longer != names[i];
      names[i] = longer;
    }
  }
  return names;
}

}  // namespace collbench::report
