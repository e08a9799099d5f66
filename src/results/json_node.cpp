// SPDX-License-Identifier: Apache-2.0
#include "results/json_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/unique_keys.h"

namespace collbench {
namespace {

using Json = nlohmann::json;

// ---- text to values

constexpr int kMaxDepth = 32;  // a document has six levels; depth costs memory at every one

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

Json parse(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw UserError("the file is empty");
  }
  UniqueKeys keys;
  const auto refuse = [&](int depth, Json::parse_event_t event, const Json& value) {
    if (depth > kMaxDepth) {
      throw UserError(fmt::format("nested deeper than {} levels: not a result file", kMaxDepth));
    }
    if (event == Json::parse_event_t::object_start) keys.begin_object(depth + 1);
    if (event == Json::parse_event_t::key) keys.add(depth, value.get<std::string>());
    return true;
  };
  try {
    return Json::parse(text, refuse);
  } catch (const Json::parse_error& e) {
    throw_not_json(text, e.byte);
  } catch (const Json::out_of_range&) {
    throw UserError("a number in the file is too large");
  }
}

const Json& value_of(const void* json) { return *static_cast<const Json*>(json); }

/// "a string", "null", "-3": what was found instead.
std::string describe(const Json& json) {
  if (json.is_null()) return "null";
  if (json.is_number()) return json.dump();
  const std::string_view type = json.type_name();
  return fmt::format("{} {}", json.is_structured() ? "an" : "a", type);
}

}  // namespace

// ---- ParsedJson

struct ParsedJson::Value {
  Json json;
};

ParsedJson::ParsedJson(std::string_view text) : value_(new Value{parse(text)}) {}
ParsedJson::~ParsedJson() = default;

JsonNode ParsedJson::root() const { return JsonNode(&value_->json, ""); }

// ---- JsonNode

JsonNode JsonNode::at(std::string_view key) const {
  const auto member = find(key);
  if (!member) throw UserError(fmt::format("{}/{}: missing", pointer_, key));
  return *member;
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  const Json& json = value_of(json_);
  if (!json.is_object()) expected("an object");
  const auto member = json.find(key);
  if (member == json.end()) return std::nullopt;
  return JsonNode(&*member, fmt::format("{}/{}", pointer_, key));
}

std::string JsonNode::text_or_empty(std::string_view key) const {
  const auto member = find(key);
  return member ? member->text() : "";
}

bool JsonNode::is_null() const { return value_of(json_).is_null(); }

bool JsonNode::boolean() const {
  if (!value_of(json_).is_boolean()) expected("true or false");
  return value_of(json_).get<bool>();
}

double JsonNode::number() const {
  if (!value_of(json_).is_number()) expected("a number");
  return value_of(json_).get<double>();
}

std::uint64_t JsonNode::count() const {
  if (!value_of(json_).is_number_unsigned()) expected("a whole number from 0 to 2^64 - 1");
  return value_of(json_).get<std::uint64_t>();
}

int JsonNode::integer() const {
  constexpr std::uint64_t kMax = std::numeric_limits<int>::max();
  const Json& json = value_of(json_);
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > kMax) {
    expected("a whole number from 0 to 2^31 - 1");
  }
  return json.get<int>();
}

std::string JsonNode::text() const {
  if (!value_of(json_).is_string()) expected("a string");
  return value_of(json_).get<std::string>();
}

template <class Get>
auto JsonNode::each(Get get) const {
  const Json& json = value_of(json_);
  if (!json.is_array()) expected("an array");
  std::vector<decltype(get(*this))> values;
  values.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    values.push_back(get(JsonNode(&json[i], fmt::format("{}/{}", pointer_, i))));
  }
  return values;
}

std::vector<JsonNode> JsonNode::elements() const {
  return each([](const JsonNode& node) { return node; });
}

std::vector<double> JsonNode::numbers() const {
  return each([](const JsonNode& node) { return node.number(); });
}

std::vector<std::uint64_t> JsonNode::counts() const {
  return each([](const JsonNode& node) { return node.count(); });
}

std::vector<std::string> JsonNode::texts() const {
  return each([](const JsonNode& node) { return node.text(); });
}

std::map<std::string, std::string> JsonNode::texts_by_key() const {
  const Json& json = value_of(json_);
  if (!json.is_object()) expected("an object");
  std::map<std::string, std::string> texts;
  for (const auto& [key, value] : json.items()) texts[key] = at(key).text();
  return texts;
}

void JsonNode::say(std::string_view problem) const {
  throw UserError(fmt::format("{}: {}", place(), problem));
}

std::string JsonNode::place() const { return pointer_.empty() ? "the document" : pointer_; }

void JsonNode::expected(std::string_view what) const {
  say(fmt::format("expected {}, found {}", what, describe(value_of(json_))));
}

}  // namespace collbench
