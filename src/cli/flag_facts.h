// SPDX-License-Identifier: Apache-2.0
// FlagFacts: a flag as --help describes it, for what else is made from that.
#pragma once

#include <string>
#include <vector>

namespace collbench {

struct FlagFacts {
  std::string letter{};  // "b"; empty where it has none
  std::string name{};    // "minbytes"
  std::string help{};
  bool takes_value = false;
  bool is_file = false;              // its value is the name of a file
  std::vector<std::string> words{};  // what its value may be, where these are few
};

}  // namespace collbench
