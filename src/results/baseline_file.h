// SPDX-License-Identifier: Apache-2.0
// The file of a baseline: JSON Lines, one run per line, as a result file has it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/document.h"

namespace collbench {

/// The launches in the file, in their order. Throws UserError of one sentence that names the line
/// of what cannot be read.
std::vector<Document> read_baseline(const std::string& path);

/// Replaces the file, which may not be there yet, by what `change` makes of its launches. While it
/// does, no other process changes it (FILE.lock); readers see the old file or the new one. A link
/// stays one: what it leads to is replaced. Where it waits for long, `say` gets a sentence. Throws
/// UserError where the file cannot be read, or is changed by another process for longer than a
/// minute; then it stays as it was.
void change_baseline(const std::string& path,
                     const std::function<std::vector<Document>(std::vector<Document>)>& change,
                     const std::function<void(const std::string&)>& say = {});

}  // namespace collbench
