// SPDX-License-Identifier: Apache-2.0
// Runs of several files as one list, in which each run is once.
#pragma once

#include <vector>

#include "results/document.h"

namespace collbench {

/// The runs in their order, one for each id. Of a run that is there unfinished too, as a copy of
/// its file made while it went on, the finished one stays; of unfinished ones, the one with most
/// rows. Throws UserError for two finished ones that differ.
std::vector<Document> distinct_runs(std::vector<Document> runs);

}  // namespace collbench
