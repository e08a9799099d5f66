// SPDX-License-Identifier: Apache-2.0
#include "cli/suggestion.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace collbench {
namespace {

// How many letters to insert, drop or replace (Levenshtein's distance, row by row).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view word, std::span<const std::string> names) {
  std::string nearest;
  if (word.empty()) return nearest;
  std::size_t least = std::min<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& name : names) {
    if (name.starts_with(word)) return name;
    const std::size_t letters = distance(word, name);
    if (letters >= least) continue;
    least = letters;
    nearest = name;
  }
  return nearest;
}

}  // namespace collbench
