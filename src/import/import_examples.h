// SPDX-License-Identifier: Apache-2.0
// For tests: the texts of tests/imports/, and what becomes of them.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "base/errors.h"
#include "import/import.h"

namespace collbench {

inline std::string import_example(const std::string& name) {
  const auto root = std::filesystem::path(__FILE__).parent_path() / "../..";
  std::ifstream file(root / "tests/imports" / name);
  if (!file) throw std::runtime_error(name + ": the tests need the folder of the sources");
  return {std::istreambuf_iterator<char>(file), {}};
}

inline ImportedRuns imported(const std::string& text, const ImportFacts& facts = {}) {
  return import_runs(recognise(text).value(), text, "FILE", facts);
}

inline std::string import_error(const std::string& text, const ImportFacts& facts = {}) {
  try {
    imported(text, facts);
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

/// The text with the first `from` replaced, which must be there.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("the example has no " + from);
  return text.replace(at, from.size(), to);
}

/// Of the row in its place in the run.
inline const Record& row(const ImportedRuns& imported, std::size_t at, std::size_t run = 0) {
  return imported.runs.at(run).rows.at(at);
}

}  // namespace collbench
