// SPDX-License-Identifier: Apache-2.0
// The text form of measured links: one per line, words and numbers.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/named_rows.h"
#include "base/word_lines.h"
#include "plan/link_model.h"

namespace collbench::plan {
namespace {

/// One line's words, taken from the front.
class Words {
 public:
  Words(std::vector<std::string_view> words, std::string place)
      : words_(std::move(words)), place_(std::move(place)) {}

  const std::string& place() const { return place_; }

  std::string_view next(std::string_view what) {
    if (at_ == words_.size()) {
      throw UserError(
          fmt::format("{}: {} is missing; a line is as collbench fit writes it", place_, what));
    }
    return words_[at_++];
  }

  /// The number after its name.
  template <class Number>
  Number named(std::string_view name, Number least) {
    const std::string_view found = next(name);
    if (found != name) {
      throw UserError(fmt::format("{}: expected {}, found '{}'", place_, name, found));
    }
    const std::string_view text = next(name);
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (!whole || !(number >= least) || !std::isfinite(static_cast<double>(number))) {
      throw UserError(fmt::format("{}: {} must be a number of at least {}, not '{}'", place_, name,
                                  least, text));
    }
    return number;
  }

  void require_end() const {
    if (at_ == words_.size()) return;
    throw UserError(fmt::format("{}: '{}' is too much", place_, words_[at_]));
  }

 private:
  std::vector<std::string_view> words_;
  std::string place_;
  std::size_t at_ = 0;
};

MeasuredLink link_of(Words words) {
  MeasuredLink link;
  link.operation =
      find_named(traffic::kAll, words.next("the operation"), words.place(), "operation").collective;
  link.ranks = words.named<int>("ranks", 2);
  link.nodes = words.named<int>("nodes", 1);
  link.from_bytes = words.named<Bytes>("from_bytes", 0);
  link.latency_s = words.named<double>("latency_us", 0.0) / 1e6;
  link.bandwidth_Bps = words.named<double>("bandwidth_GBps", 1e-6) * 1e9;
  words.require_end();
  return link;
}

}  // namespace

std::vector<MeasuredLink> parse_measured_links(std::string_view text, std::string_view source) {
  std::vector<MeasuredLink> links;
  WordLines lines(text);
  while (std::optional<WordLine> line = lines.next()) {
    links.push_back(link_of({std::move(line->words), fmt::format("{}:{}", source, line->number)}));
  }
  if (links.empty()) {
    throw UserError(
        fmt::format("{}: no link is described here; collbench fit writes such lines, "
                    "from files of at least two sizes",
                    source));
  }
  return links;
}

std::string describe(const MeasuredLink& link) {
  return fmt::format("{} ranks {} nodes {} from_bytes {} latency_us {:.6g} bandwidth_GBps {:.6g}",
                     traffic::row_of(link.operation).name, link.ranks, link.nodes, link.from_bytes,
                     link.latency_s * 1e6, link.bandwidth_Bps / 1e9);
}

}  // namespace collbench::plan
