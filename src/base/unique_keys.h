// SPDX-License-Identifier: Apache-2.0
// UniqueKeys: finds a key that one JSON object has twice, while the text is read. Parsers keep the
// last one and say nothing, so that a file could mean one thing to a person and another to a tool.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "base/errors.h"

namespace collbench {

class UniqueKeys {
 public:
  /// An object whose keys are `depth` levels deep begins.
  void begin_object(int depth) {
    const auto level = static_cast<std::size_t>(depth);
    if (keys_.size() <= level) keys_.resize(level + 1);
    keys_[level].clear();
  }

  /// A key of the object that is open at this depth. Throws UserError for its second one.
  void add(int depth, const std::string& key) {
    if (keys_.at(static_cast<std::size_t>(depth)).insert(key).second) return;
    throw UserError(fmt::format("the key '{}' is given twice; remove one", key));
  }

 private:
  std::vector<std::set<std::string>> keys_;  // of the object that is open at each depth
};

}  // namespace collbench
