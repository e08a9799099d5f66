// SPDX-License-Identifier: Apache-2.0
// JsonNode: typed access to JSON text, naming the place of whatever is not as expected.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace collbench {

/// A value and where it stands; valid as long as its ParsedJson.
///
/// Each accessor throws UserError when the value is of another type, as
/// "/rows/3/time_us/median: expected a number, found a string".
class JsonNode {
 public:
  /// A member that must be there.
  JsonNode at(std::string_view key) const;
  std::optional<JsonNode> find(std::string_view key) const;

  /// Of a member that may be absent.
  std::string text_or_empty(std::string_view key) const;

  bool is_null() const;
  bool boolean() const;
  double number() const;
  std::uint64_t count() const;  // a whole number that is not negative
  int integer() const;          // the same, below 2^31
  std::string text() const;

  std::vector<JsonNode> elements() const;
  std::vector<double> numbers() const;
  std::vector<std::uint64_t> counts() const;
  std::vector<std::string> texts() const;
  std::map<std::string, std::string> texts_by_key() const;

  /// Throws UserError of this place.
  [[noreturn]] void say(std::string_view problem) const;

  /// "/rows/3"; "the document" for all of it.
  std::string place() const;

 private:
  friend class ParsedJson;
  JsonNode(const void* json, std::string pointer) : json_(json), pointer_(std::move(pointer)) {}
  [[noreturn]] void expected(std::string_view what) const;
  template <class Get>
  auto each(Get get) const;

  const void* json_;  // of the JSON library, whose header is too slow to include everywhere
  std::string pointer_;
};

/// JSON text in memory.
class ParsedJson {
 public:
  /// Throws UserError that names the line of what is not JSON. Bare NaN and Infinity are not.
  explicit ParsedJson(std::string_view text);
  ~ParsedJson();
  ParsedJson(const ParsedJson&) = delete;
  ParsedJson& operator=(const ParsedJson&) = delete;

  JsonNode root() const;

 private:
  struct Value;
  std::unique_ptr<const Value> value_;
};

}  // namespace collbench
