// SPDX-License-Identifier: Apache-2.0
// CommandLine: the flags and operands of a program; the one user of the library that reads them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace collbench {

/// Declare everything, then parse once. The targets must outlive this object.
class CommandLine {
 public:
  /// `program` is the start of the usage line, `description` what stands above it.
  CommandLine(const std::string& program, const std::string& description);
  ~CommandLine();

  /// The heading of --help, for flags that belong to it.
  static constexpr const char* kInformation = "Information";

  /// The heading in --help of what is declared next.
  void heading(std::string text);

  /// What is declared next is not in --help.
  void hidden() { heading(""); }

  /// A paragraph at the end of --help.
  void note(const std::string& text);

  /// A flag with a value, "-b,--minbytes": the text is the caller's to read. Given twice, or
  /// without a value, it is refused.
  void value(const std::string& names, std::optional<std::string>& target, const std::string& help);

  /// A flag without a value.
  void flag(const std::string& names, bool& target, const std::string& help);

  /// Words that belong to no flag, at least one; everything after "--" is of them.
  void operands(const std::string& name, std::vector<std::string>& target, const std::string& help);

  /// The text of --help, or nothing when all targets are filled. Throws UserError, one sentence,
  /// for what was not declared.
  std::optional<std::string> parse(std::vector<std::string> arguments);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace collbench
