// SPDX-License-Identifier: Apache-2.0
// Result files, sets of them and lines of FILE.rows: what is read is written and read back as it
// is.
#include <algorithm>

#include "comes_back.h"

namespace collbench::fuzz {
void results(std::string_view text) {
  reads_or_refuses([&] { comes_back({document_from_json(text, "FILE")}); });
}

void result_set(std::string_view text) {
  reads_or_refuses([&] { comes_back(documents_from_json(text, "FILE")); });
}

void rows(std::string_view text) {
  Document document;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    reads_or_refuses([&] { add_line(document, line, "FILE.rows"); });
  }
  for (const Record& row : document.rows) {
    const Record once = record_from_json(to_json_line(row), "once");
    require(once == record_from_json(to_json_line(once), "twice"), "a row reads back equal");
  }
  for (const StepRecord& step : document.steps) {
    const StepRecord once = step_from_json(to_json_line(step), "once");
    require(once == step_from_json(to_json_line(once), "twice"), "a step reads back equal");
  }
}

}  // namespace collbench::fuzz
