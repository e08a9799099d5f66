// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/escape.h"
#include "report/page_formats.h"

namespace collbench::report {
namespace {

/// Characters of UTF-8, which is what a terminal's columns are of, as good as always.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (const Column& column : table.columns) widths.push_back(width_of(readable(column.title)));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(readable(row[i].text)));
    }
  }
  return widths;
}

std::string padded(const std::string& text, std::size_t width, bool is_text) {
  const std::string blanks(width - width_of(text), ' ');
  return is_text ? text + blanks : blanks + text;
}

std::string line_of(const std::vector<std::string>& cells, const Table& table,
                    const std::vector<std::size_t>& widths) {
  std::string line = "   ";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line += " " + padded(readable(cells[i]), widths[i], table.columns[i].is_text) + " ";
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string text_of(const Table& table) {
  const std::vector<std::size_t> widths = widths_of(table);
  std::vector<std::string> cells;
  for (const Column& column : table.columns) cells.push_back(column.title);
  std::string text = line_of(cells, table, widths);
  for (const auto& row : table.rows) {
    cells.clear();
    for (const Cell& cell : row) cells.push_back(cell.text);
    text += line_of(cells, table, widths);
  }
  if (table.left_out > 0) text += fmt::format("    {}\n", left_out_text(table.left_out));
  return text;
}

std::string text_of(const Note& note) {
  return fmt::format("  {}{}\n", word_of(note.tone), readable(note.text));
}

std::string text_of(const Figure& figure) {
  std::string text = fmt::format("\n  {}\n", readable(figure.title));
  for (const std::string& sentence : figure.sentences) {
    if (!sentence.empty()) text += fmt::format("  {}\n", readable(sentence));
  }
  return figure.table ? text + "\n" + text_of(*figure.table) : text;
}

std::string underlined(const std::string& title, char line) {
  return fmt::format("{}\n{}\n", title, std::string(width_of(title), line));
}

std::string text_of(const Section& section) {
  std::string text = "\n" + underlined(readable(section.title), '-');
  for (const std::string& sentence : section.sentences) {
    text += fmt::format("  {}\n", readable(sentence));
  }
  for (const Headline& headline : section.headlines) {
    text += fmt::format("  {}: {} ({})\n", readable(headline.label), readable(headline.value),
                        readable(headline.detail));
  }
  for (const Note& note : section.notes) text += text_of(note);
  for (const Figure& figure : section.figures) text += text_of(figure);
  return text;
}

}  // namespace

std::string left_out_text(std::size_t rows) {
  if (rows == 0) return "";
  return fmt::format("{} more {} left out", rows, rows == 1 ? "row is" : "rows are");
}

std::string_view word_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "good: ";
    case Tone::caution:
      return "attention: ";
    case Tone::bad:
      return "problem: ";
    case Tone::plain:
      break;
  }
  return "";
}

std::string to_text(const Page& page) {
  std::string text = underlined(readable(page.title), '=') + readable(page.subtitle) + "\n";
  if (!page.problems.empty()) text += "\n" + underlined(page.problems_title, '-');
  for (const Note& note : page.problems) text += text_of(note);
  for (const Section& section : page.sections) text += text_of(section);
  return text;
}

}  // namespace collbench::report
