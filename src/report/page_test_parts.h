// SPDX-License-Identifier: Apache-2.0
// Parts of pages by name, for tests.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "report/make_page.h"

namespace collbench::report {

using Texts = std::vector<std::string>;

inline Page page_of(std::vector<Run> runs) { return make_page({.runs = std::move(runs)}, "title"); }

inline Texts ids(const Page& page) {
  Texts texts;
  for (const Section& section : page.sections) texts.push_back(section.id);
  return texts;
}

inline const Section& section(const Page& page, std::string_view id) {
  const auto found = std::find_if(page.sections.begin(), page.sections.end(),
                                  [&](const Section& section) { return section.id == id; });
  if (found == page.sections.end()) throw std::runtime_error("no such section");
  return *found;
}

inline Texts texts_of(const std::vector<Note>& notes) {
  Texts texts;
  for (const Note& note : notes) texts.push_back(note.text);
  return texts;
}

inline Texts row_of(const Table& table, std::size_t row) {
  Texts texts;
  for (const Cell& cell : table.rows.at(row)) texts.push_back(cell.text);
  return texts;
}

}  // namespace collbench::report
