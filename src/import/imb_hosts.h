// SPDX-License-Identifier: Apache-2.0
// On how many hosts rows of IMB were measured, which its output does not tell.
#pragma once

#include <string>
#include <vector>

#include "import/facts.h"
#include "results/record.h"

namespace collbench {

/// Gives each row its hosts. IMB measures with fewer processes, too, of `most_ranks` in all; rows
/// whose hosts depend on places that nobody told are taken away, with a sentence for each number of
/// ranks. Throws UserError for facts that are missing or impossible.
std::vector<std::string> set_hosts(std::vector<Record>& rows, int most_ranks,
                                   const ImportFacts& facts);

}  // namespace collbench
