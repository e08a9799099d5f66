// SPDX-License-Identifier: Apache-2.0
#include "traffic/matrix_file.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/errors.h"
#include "base/word_lines.h"

namespace collbench::traffic {
namespace {

// Larger ones could not be added up.
constexpr std::uint64_t kLargestSum = (1ULL << 63) - 1;

std::uint64_t parse_number(std::string_view word, const std::string& place) {
  std::uint64_t number = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stop != end) {
    throw UserError(fmt::format("{}: '{}' is no whole number of bytes", place, word));
  }
  return number;
}

// A row of the matrix, and where it stands.
struct Row {
  std::vector<std::uint64_t> numbers;
  std::string place;
};

std::vector<Row> parse_rows(std::string_view text, std::string_view path) {
  std::vector<Row> rows;
  WordLines lines(text, " \t\r,");
  while (const std::optional<WordLine> line = lines.next()) {
    Row row = {{}, fmt::format("{}, line {}", path, line->number)};
    for (const std::string_view word : line->words) {
      row.numbers.push_back(parse_number(word, row.place));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Also every sum of a column, since all numbers together are below.
void refuse_overflow(const std::vector<Row>& rows) {
  std::uint64_t sum = 0;
  for (const Row& row : rows) {
    for (const std::uint64_t number : row.numbers) {
      if (number > kLargestSum - sum) {
        throw UserError(fmt::format("{}: the bytes add up to more than 2^63", row.place));
      }
      sum += number;
    }
  }
}

}  // namespace

Matrix parse_matrix(std::string_view text, std::string_view path, int ranks) {
  const std::vector<Row> rows = parse_rows(text, path);
  for (const Row& row : rows) {
    if (row.numbers.size() == static_cast<std::size_t>(ranks)) continue;
    throw UserError(fmt::format("{}: {} for {}; give as many as there are ranks", row.place,
                                counted(row.numbers.size(), "number"), counted(ranks, "rank")));
  }
  if (rows.size() != static_cast<std::size_t>(ranks)) {
    throw UserError(fmt::format("{}: {} of numbers for {}; give one for each rank", path,
                                counted(rows.size(), "line"), counted(ranks, "rank")));
  }
  refuse_overflow(rows);
  Matrix matrix(ranks);
  for (int from = 0; from < ranks; ++from) {
    const Row& row = rows[static_cast<std::size_t>(from)];
    for (int to = 0; to < ranks; ++to) {
      matrix.at(from, to) = row.numbers[static_cast<std::size_t>(to)];
    }
  }
  if (matrix.largest_sum() == 0) throw UserError(fmt::format("{}: nobody sends anything", path));
  return matrix;
}

}  // namespace collbench::traffic
