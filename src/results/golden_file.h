// SPDX-License-Identifier: Apache-2.0
// The files of tests/golden/, for unit tests.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace collbench {

inline std::string golden_file(const std::string& name) {
  const auto root = std::filesystem::path(__FILE__).parent_path() / "../..";
  std::ifstream file(root / "tests/golden" / name);
  if (!file) throw std::runtime_error(name + ": the tests need the folder of the sources");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace collbench
