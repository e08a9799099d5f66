// SPDX-License-Identifier: Apache-2.0
// The text form of traces.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>
#include <system_error>

#include "base/counted.h"
#include "base/errors.h"
#include "base/word_lines.h"
#include "routing/trace.h"

namespace collbench::routing {
namespace {

constexpr std::uint64_t kMostTokens = std::uint64_t{1} << 40U;  // sums stay far below 2^64

class TraceReader {
 public:
  TraceReader(std::string_view text, std::string_view path) : lines_(text, " \t\r,"), path_(path) {}

  Trace read() {
    read_head();
    while (const std::optional<WordLine> line = lines_.next()) {
      words_ = line->words;
      read_layer();
    }
    if (trace_.layers.empty())
      say("no layer is described here; a line 'layer 0 tokens' begins one");
    return std::move(trace_);
  }

 private:
  [[noreturn]] void say(std::string_view problem) const {
    throw UserError(fmt::format("{}, line {}: {}", path_, std::max(lines_.number(), 1), problem));
  }

  /// The next line, which is to hold so many words.
  void next_line(std::size_t words, std::string_view what) {
    std::optional<WordLine> line = lines_.next();
    if (!line) say(fmt::format("the file ends where {} should follow", what));
    words_ = std::move(line->words);
    if (words_.size() != words) {
      say(fmt::format("{} where {} has {}", counted(words_.size(), "word"), what, words));
    }
  }

  std::uint64_t number(std::size_t word, std::uint64_t least, std::uint64_t most) const {
    const std::string_view text = words_[word];
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end || number < least || number > most) {
      say(fmt::format("'{}' is no whole number from {} to {}", text, least, most));
    }
    return number;
  }

  /// The number that follows its name.
  std::uint64_t named(std::size_t word, std::string_view name, std::uint64_t most) const {
    if (words_[word] != name) say(fmt::format("expected {}, found '{}'", name, words_[word]));
    return number(word + 1, 1, most);
  }

  void read_head() {
    next_line(9, "'routing ranks R experts E per_token K tokens T'");
    if (words_[0] != "routing") say(fmt::format("expected routing, found '{}'", words_[0]));
    trace_.ranks = static_cast<int>(named(1, "ranks", model::kMostRanks));
    trace_.experts =
        static_cast<int>(named(3, "experts", std::numeric_limits<std::uint16_t>::max()));
    trace_.per_token =
        static_cast<int>(named(5, "per_token", static_cast<std::uint64_t>(trace_.experts)));
    trace_.tokens = named(7, "tokens", kMostTokens);
  }

  /// Begins with its first line in words_.
  void read_layer() {
    if (words_.size() != 3 || words_[0] != "layer") {
      say("expected the first line of a layer, 'layer 0 tokens' or 'layer 0 counts'");
    }
    LayerTrace layer;
    layer.layer = number(1, 0, std::numeric_limits<int>::max());
    for (const LayerTrace& other : trace_.layers) {
      if (other.layer == layer.layer) say(fmt::format("layer {} came before", layer.layer));
    }
    const std::string_view what = words_[2];
    if (what != "tokens" && what != "counts") {
      say(fmt::format("expected tokens or counts, found '{}'", what));
    }
    for (int rank = 0; rank < trace_.ranks; ++rank) {
      if (what == "tokens") {
        layer.choices.push_back(read_choices());
      } else {
        layer.counts.push_back(read_counts());
      }
    }
    trace_.layers.push_back(std::move(layer));
  }

  Choices read_choices() {
    Choices choices = {trace_.per_token, {}};
    for (Count token = 0; token < trace_.tokens; ++token) {
      next_line(static_cast<std::size_t>(trace_.per_token), "the experts of a token");
      const std::size_t first = choices.experts.size();
      for (std::size_t i = 0; i < words_.size(); ++i) {
        const auto expert = static_cast<std::uint16_t>(
            number(i, 0, static_cast<std::uint64_t>(trace_.experts) - 1));
        const auto own = choices.experts.begin() + static_cast<std::ptrdiff_t>(first);
        if (std::find(own, choices.experts.end(), expert) != choices.experts.end()) {
          say(fmt::format("a token has expert {} twice", expert));
        }
        choices.experts.push_back(expert);
      }
    }
    return choices;
  }

  std::vector<std::uint64_t> read_counts() {
    next_line(static_cast<std::size_t>(trace_.experts), "the counts of a rank");
    std::vector<std::uint64_t> counts;
    for (std::size_t i = 0; i < words_.size(); ++i) counts.push_back(number(i, 0, trace_.tokens));
    const std::uint64_t sum = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    const std::uint64_t copies = trace_.tokens * static_cast<std::uint64_t>(trace_.per_token);
    if (sum != copies) {
      say(fmt::format("the counts of a rank add up to {}, and its tokens choose {}", sum, copies));
    }
    return counts;
  }

  WordLines lines_;
  std::string_view path_;
  std::vector<std::string_view> words_;
  Trace trace_;
};

template <class Numbers>
void append_line(std::string& text, const Numbers& numbers) {
  text += fmt::format("{}\n", fmt::join(numbers, " "));
}

}  // namespace

Trace parse_trace(std::string_view text, std::string_view path) {
  return TraceReader(text, path).read();
}

std::string to_text(const Trace& trace) {
  std::string text = fmt::format("routing ranks {} experts {} per_token {} tokens {}\n",
                                 trace.ranks, trace.experts, trace.per_token, trace.tokens);
  for (const LayerTrace& layer : trace.layers) {
    text += fmt::format("layer {} {}\n", layer.layer, layer.counts.empty() ? "tokens" : "counts");
    for (const auto& counts : layer.counts) append_line(text, counts);
    for (const Choices& choices : layer.choices) {
      for (std::size_t token = 0; token < choices.tokens(); ++token) {
        append_line(text, choices.of(token));
      }
    }
  }
  return text;
}

}  // namespace collbench::routing
