// SPDX-License-Identifier: Apache-2.0
#include "results/json_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.h"
#include "results/json_tree.h"

namespace collbench {
namespace {

/// Other units, sums and squares of it are still finite.
constexpr double kLargestNumber = 1e100;

/// "a string", "null", "-3": what was found instead.
std::string describe(const JsonValue& value) {
  switch (value.type) {
    case JsonType::null:
      return "null";
    case JsonType::boolean:
      return "a boolean";
    case JsonType::negative:
      return fmt::format("{}", value.negative);
    case JsonType::natural:
      return fmt::format("{}", value.natural);
    case JsonType::real:
      return fmt::format("{:#}", value.real);  // 1.0 is not 1
    case JsonType::string:
      return "a string";
    case JsonType::array:
      return "an array";
    case JsonType::object:
      break;
  }
  return "an object";
}

}  // namespace

JsonNode JsonNode::at(std::string_view key) const {
  const auto member = find(key);
  if (!member) throw UserError(fmt::format("{}/{}: missing", pointer(), key));
  return *member;
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  const JsonTree& tree = *tree_;
  if (tree[index_].type != JsonType::object) expected("an object");
  for (auto member = tree[index_].first; member != JsonValue::kNone; member = tree[member].next) {
    if (tree.text(tree[member].key) == key) return JsonNode(tree, member);
  }
  return std::nullopt;
}

std::string JsonNode::text_or_empty(std::string_view key) const {
  const auto member = find(key);
  return member ? member->text() : "";
}

void JsonNode::only(std::initializer_list<std::string_view> keys) const {
  const JsonTree& tree = *tree_;
  if (tree[index_].type != JsonType::object) expected("an object");
  for (auto member = tree[index_].first; member != JsonValue::kNone; member = tree[member].next) {
    if (std::find(keys.begin(), keys.end(), tree.text(tree[member].key)) != keys.end()) continue;
    throw UserError(fmt::format("{}: unknown; there are {}", JsonNode(tree, member).pointer(),
                                fmt::join(keys, ", ")));
  }
}

bool JsonNode::is_null() const { return (*tree_)[index_].type == JsonType::null; }

bool JsonNode::is_text() const { return (*tree_)[index_].type == JsonType::string; }

bool JsonNode::boolean() const {
  const JsonValue& value = (*tree_)[index_];
  if (value.type != JsonType::boolean) expected("true or false");
  return value.natural != 0;
}

double JsonNode::number() const {
  const JsonValue& value = (*tree_)[index_];
  if (value.type == JsonType::real) {
    if (std::abs(value.real) > kLargestNumber) say("a number of this size measures nothing");
    return value.real;
  }
  if (value.type == JsonType::natural) return static_cast<double>(value.natural);
  if (value.type != JsonType::negative) expected("a number");
  return static_cast<double>(value.negative);
}

std::uint64_t JsonNode::count() const {
  const JsonValue& value = (*tree_)[index_];
  if (value.type != JsonType::natural) expected("a whole number from 0 to 2^64 - 1");
  return value.natural;
}

int JsonNode::integer() const {
  constexpr std::uint64_t kMax = std::numeric_limits<int>::max();
  const JsonValue& value = (*tree_)[index_];
  if (value.type != JsonType::natural || value.natural > kMax) {
    expected("a whole number from 0 to 2^31 - 1");
  }
  return static_cast<int>(value.natural);
}

std::string JsonNode::text() const {
  const JsonValue& value = (*tree_)[index_];
  if (value.type != JsonType::string) expected("a string");
  return std::string(tree_->text(value.text));
}

template <class Get>
auto JsonNode::each(Get get) const {
  const JsonTree& tree = *tree_;
  if (tree[index_].type != JsonType::array) expected("an array");
  std::vector<decltype(get(*this))> values;
  values.reserve(tree[index_].children);
  for (auto child = tree[index_].first; child != JsonValue::kNone; child = tree[child].next) {
    values.push_back(get(JsonNode(tree, child)));
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
  const JsonTree& tree = *tree_;
  if (tree[index_].type != JsonType::object) expected("an object");
  std::map<std::string, std::string> texts;
  for (auto member = tree[index_].first; member != JsonValue::kNone; member = tree[member].next) {
    texts.emplace(tree.text(tree[member].key), JsonNode(tree, member).text());
  }
  return texts;
}

void JsonNode::say(std::string_view problem) const {
  throw UserError(fmt::format("{}: {}", place(), problem));
}

std::string JsonNode::place() const {
  const std::string pointer = this->pointer();
  return pointer.empty() ? "the document" : pointer;
}

std::string JsonNode::pointer() const {
  const JsonTree& tree = *tree_;
  std::string pointer;
  for (auto index = index_; tree[index].parent != JsonValue::kNone; index = tree[index].parent) {
    const JsonValue& value = tree[index];
    pointer = tree[value.parent].type == JsonType::array
                  ? fmt::format("/{}{}", value.position, pointer)
                  : fmt::format("/{}{}", tree.text(value.key), pointer);
  }
  return pointer;
}

void JsonNode::expected(std::string_view what) const {
  say(fmt::format("expected {}, found {}", what, describe((*tree_)[index_])));
}

}  // namespace collbench
