// SPDX-License-Identifier: Apache-2.0
#include "cli/two_sides.h"

#include <algorithm>

#include "base/errors.h"

namespace collbench {
namespace {

// Stands for "--" among the operands, so that flags may stand behind it. No name of a file is this.
constexpr const char* kSeparator = "\x1e--";

}  // namespace

std::vector<std::string> with_separator(std::vector<std::string> arguments) {
  std::replace(arguments.begin(), arguments.end(), std::string("--"), std::string(kSeparator));
  return arguments;
}

TwoSides split_sides(const std::vector<std::string>& operands) {
  const auto separator = std::find(operands.begin(), operands.end(), kSeparator);
  if (separator == operands.end()) return {.base = {}, .candidate = operands};
  if (std::find(separator + 1, operands.end(), kSeparator) != operands.end()) {
    throw UserError("-- is given twice; a comparison has two sides");
  }
  return {{operands.begin(), separator}, {separator + 1, operands.end()}, true};
}

}  // namespace collbench
