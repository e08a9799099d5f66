// SPDX-License-Identifier: Apache-2.0
// CommandLine: the flags and operands of a program; the one user of the library that reads them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flag_facts.h"

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

  /// A flag with a value that may be given again for more of them.
  void values(const std::string& names, std::vector<std::string>& target, const std::string& help);

  /// What may complete the value of the flag that was declared last: these words, or files.
  void completed_by(std::vector<std::string> words);
  void completed_by_files();

  /// A flag without a value.
  void flag(const std::string& names, bool& target, const std::string& help);

  /// Whether there has to be an operand.
  enum class Operands : bool { optional, required };

  /// Words that belong to no flag; everything after "--" is of them.
  void operands(const std::string& name, std::vector<std::string>& target, const std::string& help,
                Operands operands = Operands::required);

  /// "--config FILE": flags of a file (see config_file.h) hold where the command line has none.
  void config_file();

  /// The flags that --help shows.
  std::vector<FlagFacts> flags() const;

  /// The text of --help, or nothing when all targets are filled. Throws UserError, one sentence,
  /// for what was not declared.
  std::optional<std::string> parse(const std::vector<std::string>& arguments);

  /// What was parsed, with the flags of a file in place of --config.
  const std::vector<std::string>& arguments() const;

  /// Where a sentence that begins with a flag has it from: "FILE: " for one of a file, else empty.
  std::string place_of(std::string_view sentence) const;

 private:
  std::optional<std::string> parse_once(std::vector<std::string> arguments);
  std::vector<std::string> from_file(const std::string& path);

  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace collbench
