// SPDX-License-Identifier: Apache-2.0
// JsonTree: JSON values side by side in memory, in the order of the text; each knows where it
// stands. Values at the end can be cut off again, so that a long list needs no more memory than one
// of its elements.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace collbench {

enum class JsonType : std::uint8_t {
  null,
  boolean,
  negative,
  natural,
  real,
  string,
  array,
  object
};

/// Where text stands among a tree's characters.
struct JsonText {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
};

struct JsonValue {
  static constexpr std::uint32_t kNone = 0xffffffff;

  JsonType type = JsonType::null;
  std::uint32_t parent = kNone;
  std::uint32_t first = kNone;  // child, of those that are kept
  std::uint32_t next = kNone;   // sibling
  std::uint32_t children = 0;   // also of those that were cut off
  std::uint32_t position = 0;   // among its siblings
  JsonText key = {};            // of a member of an object
  union {
    std::int64_t negative;
    std::uint64_t natural;  // 0 and 1 of a boolean
    double real;
    JsonText text;
  };

  JsonValue() : natural(0) {}
};

class JsonTree {
 public:
  using Index = std::uint32_t;

  const JsonValue& operator[](Index index) const { return values_[index]; }
  std::string_view text(JsonText text) const {
    return std::string_view(characters_).substr(text.begin, text.size);
  }

  // ---- building, from a parser's events

  /// Of the next value, in an object.
  void key(std::string_view key) { key_ = keep(key); }

  /// A value in what is open. Arrays and objects are then open themselves, until `end`.
  JsonValue& add(JsonType type);
  void add_string(std::string_view text) {
    const JsonText kept = keep(text);
    add(JsonType::string).text = kept;
  }
  void end() { open_.pop_back(); }

  int depth() const { return static_cast<int>(open_.size()); }
  /// What is open; requires that something is.
  Index innermost() const { return open_.back().index; }

  /// Forgets the children of what is open, and all in them; later ones are counted on from there.
  void cut_children();

 private:
  struct Open {
    Index index;
    std::size_t characters;         // before its children
    Index last = JsonValue::kNone;  // child
  };

  JsonText keep(std::string_view text);

  std::vector<JsonValue> values_;
  std::string characters_;
  std::vector<Open> open_;
  JsonText key_;
};

inline JsonText JsonTree::keep(std::string_view text) {
  // Texts come from files of less than 4 GiB, and take no more room here than there.
  const JsonText kept = {static_cast<std::uint32_t>(characters_.size()),
                         static_cast<std::uint32_t>(text.size())};
  characters_ += text;
  return kept;
}

inline JsonValue& JsonTree::add(JsonType type) {
  const auto index = static_cast<Index>(values_.size());
  JsonValue& value = values_.emplace_back();
  value.type = type;
  value.key = key_;
  if (!open_.empty()) {
    Open& open = open_.back();
    JsonValue& parent = values_[open.index];
    value.parent = open.index;
    value.position = parent.children++;
    (open.last == JsonValue::kNone ? parent.first : values_[open.last].next) = index;
    open.last = index;
  }
  if (type == JsonType::array || type == JsonType::object) {
    open_.push_back({index, characters_.size()});
  }
  key_ = {};
  return value;
}

inline void JsonTree::cut_children() {
  Open& open = open_.back();
  open.last = values_[open.index].first = JsonValue::kNone;
  values_.resize(open.index + 1);
  characters_.resize(open.characters);
}

}  // namespace collbench
