// SPDX-License-Identifier: Apache-2.0
// JSON text to values: what is no JSON, named by its line, and arrays that are streamed.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "results/json_node.h"
#include "results/json_tree.h"

namespace collbench {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 32;  // a document has six levels

// ---- what is no JSON

/// The word at the place where the parser stopped, cut to what fits a message.
std::string word_at(std::string_view text, std::size_t position) {
  constexpr std::string_view kEnds = " \t\r\n,:[]{}\"";
  std::size_t first = std::min(position, text.size());
  while (first > 0 && kEnds.find(text[first - 1]) == std::string_view::npos) --first;
  const std::size_t end = std::min(text.find_first_of(kEnds, first), first + 24);
  const std::size_t last = std::max(end, first + 1);
  return std::string(text.substr(first, last - first));
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

/// "NaN", "-Infinity", "inf": what other programs write.
bool is_non_finite(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word.starts_with("nan") || word.starts_with("inf") || word.starts_with("-inf");
}

/// "line 3: ", or nothing for text of one line.
std::string line_at(std::string_view text, std::size_t position) {
  if (text.find('\n') >= text.size() - 1) return "";
  const std::string_view before = text.substr(0, position);
  return fmt::format("line {}: ", 1 + std::count(before.begin(), before.end(), '\n'));
}

/// `byte` counts from 1, as the parser does.
[[noreturn]] void throw_not_json(std::string_view text, std::size_t byte) {
  const std::size_t position = std::min(byte > 0 ? byte - 1 : 0, text.size());
  const std::string line = line_at(text, position);
  if (text.find_first_not_of(" \t\r\n", position) == std::string_view::npos) {
    throw UserError(line + "the JSON text ends too early: the file is cut off");
  }
  const std::string word = word_at(text, position);
  if (is_non_finite(word)) throw UserError(fmt::format("{}'{}' is no number in JSON", line, word));
  throw UserError(is_printable(word) ? fmt::format("{}this is not JSON, at '{}'", line, word)
                                     : line + "this is not JSON");
}

}  // namespace

// ---- the parser's events

/// Its functions and their names are those that the library calls.
class ParsedJson::Reader {
 public:
  Reader(std::string_view text, std::span<const JsonStream> streams, JsonTree& tree)
      : text_(text), streams_(streams), tree_(tree) {}

  bool null() {
    tree_.add(JsonType::null);
    return ended();
  }
  bool boolean(bool value) {
    tree_.add(JsonType::boolean).natural = value ? 1 : 0;
    return ended();
  }
  bool number_integer(std::int64_t value) {
    tree_.add(JsonType::negative).negative = value;
    return ended();
  }
  bool number_unsigned(std::uint64_t value) {
    tree_.add(JsonType::natural).natural = value;
    return ended();
  }
  bool number_float(double value, const std::string&) {
    tree_.add(JsonType::real).real = value;
    return ended();
  }
  bool string(const std::string& value) {
    tree_.add_string(value);
    return ended();
  }
  bool binary(const Json::binary_t&) { return false; }  // which text has not

  bool start_object(std::size_t) { return begin(JsonType::object); }
  bool start_array(std::size_t) { return begin(JsonType::array); }
  bool key(const std::string& value) {
    tree_.key(value);
    return true;
  }
  bool end_object() {
    require_unique_keys();
    return end();
  }
  bool end_array() { return end(); }

  bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception& error) {
    if (dynamic_cast<const Json::out_of_range*>(&error) != nullptr) {
      throw UserError("a number in the file is too large");
    }
    throw_not_json(text_, byte);
  }

 private:
  bool begin(JsonType type) {
    if (tree_.depth() >= kMaxDepth) {
      throw UserError(fmt::format("nested deeper than {} levels: not a result file", kMaxDepth));
    }
    tree_.add(type);
    const JsonStream* stream = type == JsonType::array ? stream_here() : nullptr;
    streamed_by_.push_back(stream);
    return true;
  }

  bool end() {
    tree_.end();
    streamed_by_.pop_back();
    return ended();
  }

  /// After each value that is whole: an element of a streamed array goes.
  bool ended() {
    if (streamed_by_.empty() || streamed_by_.back() == nullptr) return true;
    streamed_by_.back()->take(JsonNode(tree_, tree_[tree_.innermost()].first));
    tree_.cut_children();
    return true;
  }

  const JsonStream* stream_here() const;
  void require_unique_keys();

  std::string_view text_;
  std::span<const JsonStream> streams_;
  JsonTree& tree_;
  std::vector<const JsonStream*> streamed_by_;  // of all that is open; null: kept
  std::vector<std::string_view> keys_;
};

namespace {

/// Whether `pattern` is the place of a value: from its last part back to the root.
bool stands_at(std::string_view pattern, const JsonTree& tree, JsonTree::Index index) {
  for (; tree[index].parent != JsonValue::kNone; index = tree[index].parent) {
    const std::size_t slash = pattern.rfind('/');
    if (slash == std::string_view::npos) return false;
    const std::string_view part = pattern.substr(slash + 1);
    if (part != "*" && part != tree.text(tree[index].key)) return false;
    pattern = pattern.substr(0, slash);
  }
  return pattern.empty();
}

}  // namespace

const JsonStream* ParsedJson::Reader::stream_here() const {
  const auto found = std::find_if(streams_.begin(), streams_.end(), [&](const JsonStream& stream) {
    return stands_at(stream.pointer, tree_, tree_.innermost());
  });
  return found == streams_.end() ? nullptr : &*found;
}

/// Of the object that ends.
void ParsedJson::Reader::require_unique_keys() {
  keys_.clear();
  JsonTree::Index member = tree_[tree_.innermost()].first;
  for (; member != JsonValue::kNone; member = tree_[member].next) {
    keys_.push_back(tree_.text(tree_[member].key));
  }
  std::sort(keys_.begin(), keys_.end());
  const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
  if (twice == keys_.end()) return;
  throw UserError(fmt::format("the key '{}' is given twice; remove one", *twice));
}

// ---- ParsedJson

ParsedJson::ParsedJson(std::string_view text, std::span<const JsonStream> streams)
    : tree_(new JsonTree) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw UserError("the file is empty");
  }
  Reader reader(text, streams, *tree_);
  Json::sax_parse(text, &reader);
}

ParsedJson::~ParsedJson() = default;

JsonNode ParsedJson::root() const { return JsonNode(*tree_, 0); }

}  // namespace collbench
