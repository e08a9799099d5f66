// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/escape.h"
#include "report/page_formats.h"

namespace collbench::report {
namespace {

constexpr std::size_t kMostRows = 200;

std::string text_of(const Table& table) {
  std::string text = "|", line = "|";
  for (const Column& column : table.columns) {
    text += fmt::format(" {} |", markdown_text(column.title));
    line += column.is_text ? "---|" : "--:|";
  }
  text += "\n" + line + "\n";
  const std::size_t shown = std::min(table.rows.size(), kMostRows);
  for (std::size_t r = 0; r < shown; ++r) {
    text += "|";
    for (const Cell& cell : table.rows[r]) text += fmt::format(" {} |", markdown_text(cell.text));
    text += "\n";
  }
  const std::size_t left_out = table.left_out + table.rows.size() - shown;
  return left_out == 0 ? text : fmt::format("{}\n{}\n", text, left_out_text(left_out));
}

std::string text_of(const Note& note) {
  const std::string text = fmt::format("{}{}", word_of(note.tone), markdown_text(note.text));
  return note.tone == Tone::bad ? fmt::format("- **{}**\n", text) : fmt::format("- {}\n", text);
}

std::string paragraphs(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) {
    if (!sentence.empty()) text += fmt::format("\n{}\n", markdown_text(sentence));
  }
  return text;
}

std::string text_of(const Figure& figure) {
  std::string text = fmt::format("\n### {}\n", markdown_text(figure.title));
  text += paragraphs(figure.sentences);
  return figure.table ? text + "\n" + text_of(*figure.table) : text;
}

std::string text_of(const Section& section) {
  std::string text = fmt::format("\n## {}\n", markdown_text(section.title));
  text += paragraphs(section.sentences);
  if (!section.headlines.empty() || !section.notes.empty()) text += "\n";
  for (const Headline& headline : section.headlines) {
    text += fmt::format("- {}: **{}** ({})\n", markdown_text(headline.label),
                        markdown_text(headline.value), markdown_text(headline.detail));
  }
  for (const Note& note : section.notes) text += text_of(note);
  for (const Figure& figure : section.figures) text += text_of(figure);
  return text;
}

}  // namespace

std::string to_markdown(const Page& page) {
  std::string text =
      fmt::format("# {}\n\n{}\n", markdown_text(page.title), markdown_text(page.subtitle));
  if (!page.problems.empty())
    text += fmt::format("\n## {}\n\n", markdown_text(page.problems_title));
  for (const Note& note : page.problems) text += text_of(note);
  for (const Section& section : page.sections) text += text_of(section);
  return text;
}

}  // namespace collbench::report
