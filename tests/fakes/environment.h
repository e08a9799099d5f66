// SPDX-License-Identifier: Apache-2.0
// The environment variables of the fakes, read strictly: a value that makes no sense ends the
// process with one sentence and status 2, or a test would pass that never tested anything.
#pragma once

#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace fakes {

[[noreturn]] inline void refuse(const std::string& sentence) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
  std::_Exit(2);
}

[[noreturn]] inline void refuse(const char* name, std::string_view value, std::string_view wanted) {
  refuse(std::string(name) + "=" + std::string(value) + " is not " + std::string(wanted));
}

/// The names that were asked for so far. Each library has its own.
class NamesRead {
 public:
  void add(const char* name) {
    const std::lock_guard lock(mutex_);
    names_.emplace(name);
  }
  bool has(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return names_.count(name) == 1;
  }

 private:
  std::mutex mutex_;
  std::set<std::string> names_;
};

inline NamesRead& names_read() {
  static NamesRead& once = *new NamesRead;
  return once;
}

inline const char* find(const char* name) {
  names_read().add(name);
  return std::getenv(name);
}

/// Ends the process when there is a variable that begins so and nobody asked for: a misspelt one.
inline void refuse_others(std::string_view prefix) {
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string name(text.substr(0, text.find('=')));
    if (name.compare(0, prefix.size(), prefix) != 0 || names_read().has(name)) continue;
    refuse(name + " is not a variable of the fakes; docs/testing.md lists them");
  }
}

/// A number of any type in least..most, or `otherwise` where the variable is not set.
template <typename Number>
Number number(const char* name, Number otherwise, Number least, Number most) {
  const char* const found = find(name);
  if (found == nullptr) return otherwise;
  const std::string_view text = found;
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  // Written so that a NaN is refused, too.
  if (!whole || !(value >= least && value <= most)) {
    refuse(name, text,
           "a number from " + std::to_string(least) + " to " + std::to_string(most) +
               "; set one, or unset it");
  }
  return value;
}

/// 1 is on, 0 and unset are off.
inline bool flag(const char* name) { return number(name, 0, 0, 1) == 1; }

/// A mask such as 0x24, or `otherwise` where the variable is not set.
inline std::uint64_t hex_mask(const char* name, std::uint64_t otherwise) {
  const char* const found = find(name);
  if (found == nullptr) return otherwise;
  std::string_view digits = found;
  if (digits.substr(0, 2) == "0x") digits.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    refuse(name, found, "a hexadecimal mask such as 0x24; set one, or unset it");
  }
  return value;
}

}  // namespace fakes
