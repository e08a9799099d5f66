// SPDX-License-Identifier: Apache-2.0
// What a report is made of: documents under short names, and timelines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/timeline.h"
#include "results/document.h"

namespace collbench::report {

/// A document, and what it is called wherever several stand beside each other.
struct Run {
  std::string name;
  Document document;
};

struct Input {
  std::vector<Run> runs;
  std::size_t base_runs = 0;  // how many of them, the first, the others are compared with
  std::vector<Timeline> timelines = {};
};

/// Names for files, each the shortest end of its path, without ".json", that no other file has:
/// "base", or "monday/base" beside "tuesday/base".
std::vector<std::string> short_names(std::span<const std::string> paths);

}  // namespace collbench::report
