// SPDX-License-Identifier: Apache-2.0
// Page: what a report says, as plain values. Sections are made of documents, by one file each, and
// every format writes the same page, so that no fact is described twice.
//
// All text is as it came from a file: a format escapes what it writes, and nobody else does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "statistics/statistics.h"

namespace collbench::report {

/// How much something matters. Colour follows it, but never alone: the text says it, too.
enum class Tone : std::uint8_t { plain, good, caution, bad };

struct Note {
  std::string text;
  Tone tone = Tone::plain;
};

/// A number that stands for a run at a glance.
struct Headline {
  std::string label;   // "Peak bus bandwidth"
  std::string value;   // "3.21 GB/s"
  std::string detail;  // "all_reduce, 16 MiB, base"
};

struct Column {
  std::string title;  // with its unit
  bool is_text = false;
};

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
  std::optional<double> shade = {};  // of a matrix: 0 to 1 of its range of colours
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each of as many cells as there are columns
  std::size_t left_out = 0;             // rows that would have followed
};

enum class Scale : std::uint8_t {
  linear,
  bytes,        // powers of two, labelled in KiB, MiB and GiB; values are bytes
  logarithmic,  // powers of ten
  doubling,     // powers of two, of plain numbers
  category,     // values are indices into Chart::categories
};

struct Axis {
  std::string title;  // with its unit
  Scale scale = Scale::linear;
};

struct Point {
  double x = 0;
  double y = 0;
  std::optional<statistics::Interval> interval = {};  // of y
};

/// From here to there, on the line of a category.
struct Span {
  double from = 0;
  double to = 0;
  std::size_t category = 0;
  std::string label;
};

struct Series {
  std::string label;
  bool dashed = false;  // of spans: faint
  std::vector<Point> points = {};
  std::vector<Span> spans = {};  // of Chart::spans only
};

enum class ChartKind : std::uint8_t { lines, points, bars, stacked_bars, spans };

struct Chart {
  ChartKind kind = ChartKind::lines;
  std::string title;
  std::string description;  // for those who do not see it
  Axis x, y;
  std::vector<std::string> categories = {};  // of the axis whose scale is category
  std::vector<Series> series = {};
};

/// What belongs together: sentences, charts and the table of the numbers in them.
struct Figure {
  std::string title;
  std::vector<std::string> sentences = {};
  std::vector<Chart> charts = {};
  std::optional<Table> table = {};
};

struct Section {
  std::string id;  // "bandwidth": letters only
  std::string title;
  std::vector<Headline> headlines = {};
  std::vector<std::string> sentences = {};
  std::vector<Note> notes = {};
  std::vector<Figure> figures = {};
};

struct Page {
  std::string title;
  std::string subtitle;
  std::string problems_title = {};  // says whether they are any, or rows that could not be measured
  std::vector<Note> problems = {};  // at the top, before anything else
  std::vector<Section> sections = {};
};

}  // namespace collbench::report
