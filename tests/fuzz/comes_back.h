// SPDX-License-Identifier: Apache-2.0
// Documents that were read can be written, and come back.
#pragma once

#include <vector>

#include "results/json.h"
#include "targets.h"

namespace collbench::fuzz {

/// The first writing may round numbers beyond the precision of files, and replaces what is no
/// UTF-8.
inline void comes_back(const std::vector<Document>& runs) {
  const std::vector<Document> once = documents_from_json(set_to_json(runs), "once");
  const std::vector<Document> twice = documents_from_json(set_to_json(once), "twice");
  require(once.size() == runs.size(), "no run is lost");
  require(once == twice, "what was written reads back equal");
}

}  // namespace collbench::fuzz
