// SPDX-License-Identifier: Apache-2.0
// Operands of two sides, with "--" between them: flags may stand anywhere.
#pragma once

#include <string>
#include <vector>

namespace collbench {

/// The arguments with a word in place of each "--" that a command line takes for an operand.
std::vector<std::string> with_separator(std::vector<std::string> arguments);

struct TwoSides {
  std::vector<std::string> base, candidate;  // all of them are candidates where nothing separates
  bool separated = false;
};

/// Of the operands of such arguments. Throws UserError where "--" is given twice.
TwoSides split_sides(const std::vector<std::string>& operands);

}  // namespace collbench
