// SPDX-License-Identifier: Apache-2.0
// Reading results by name, whatever they are: one file, or a folder of them. What reads results for
// people calls this, so that all of its subcommands take the same files.
#pragma once

#include <string>
#include <vector>

#include "results/document.h"

namespace collbench {

/// The files that a name stands for: itself, or of a folder those that end in ".json", sorted,
/// those of folders in it left out. Throws UserError for a folder that has none or cannot be read;
/// a file need not be there.
std::vector<std::string> result_files(const std::string& path);

/// All runs of these files, in their order: a file has one, or those that `collbench merge` put
/// into it; one that never wrote its end is joined with FILE.rows and marked `incomplete`, as
/// read_document does. Throws UserError of one sentence that names the file.
std::vector<Document> read_results(const std::string& path);
/// Of all these names.
std::vector<Document> read_results(const std::vector<std::string>& paths);

}  // namespace collbench
