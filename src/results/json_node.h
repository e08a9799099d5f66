// SPDX-License-Identifier: Apache-2.0
// JsonNode: typed access to JSON text, naming the place of whatever is not as expected.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace collbench {

class JsonTree;

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

  /// Throws UserError for an object with another key than these.
  void only(std::initializer_list<std::string_view> keys) const;

  bool is_null() const;
  bool is_text() const;
  bool boolean() const;
  double number() const;        // up to 1e100
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
  JsonNode(const JsonTree& tree, std::uint32_t index) : tree_(&tree), index_(index) {}
  std::string pointer() const;
  [[noreturn]] void expected(std::string_view what) const;
  template <class Get>
  auto each(Get get) const;

  const JsonTree* tree_;
  std::uint32_t index_;
};

/// Takes the elements of an array one after the other while the text is read, so that no more than
/// one is in memory. The array then looks empty to its ParsedJson.
struct JsonStream {
  std::string_view pointer;  // of the array, "/rows"; * stands for any key or position
  std::function<void(const JsonNode& element)> take;
};

/// JSON text in memory.
class ParsedJson {
 public:
  /// Throws UserError that names the line of what is not JSON, and for a key that an object has
  /// twice. Bare NaN and Infinity are not JSON. What a stream throws ends the reading.
  explicit ParsedJson(std::string_view text, std::span<const JsonStream> streams = {});
  ~ParsedJson();
  ParsedJson(const ParsedJson&) = delete;
  ParsedJson& operator=(const ParsedJson&) = delete;

  JsonNode root() const;

 private:
  class Reader;
  std::unique_ptr<JsonTree> tree_;
};

}  // namespace collbench
