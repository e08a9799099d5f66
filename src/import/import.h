// SPDX-License-Identifier: Apache-2.0
// Results that other programs wrote, as documents; docs/importing.md says what becomes of what.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/facts.h"
#include "results/document.h"

namespace collbench {

struct ImportedRuns {
  std::vector<Document> runs;
  std::vector<std::string> left_out = {};  // what has no counterpart here, a sentence each
};

enum class ForeignFormat : std::uint8_t { nccl_tests_text, nccl_tests_json, osu, imb };

/// Whose output the text is, by its content; nothing where it is none that is known.
std::optional<ForeignFormat> recognise(std::string_view text);

/// Whether it is a file of this suite, valid or not.
bool is_ours(std::string_view text);

/// All runs of the text, one at least. Throws UserError of one sentence that begins with `source`
/// for what neither the text nor `facts` tells, and for what contradicts itself.
ImportedRuns import_runs(ForeignFormat format, std::string_view text, std::string_view source,
                         const ImportFacts& facts);

}  // namespace collbench
