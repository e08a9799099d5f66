// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <fmt/format.h>

namespace collbench {
namespace {

std::vector<std::string> names_of(const FlagFacts& flag) {
  std::vector<std::string> names;
  if (!flag.letter.empty()) names.push_back("-" + flag.letter);
  if (!flag.name.empty()) names.push_back("--" + flag.name);
  return names;
}

// ---- bash

std::string bash_case(const FlagFacts& flag) {
  const std::string pattern = fmt::format("{}", fmt::join(names_of(flag), "|"));
  if (flag.is_file)
    return fmt::format("    {}) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", pattern);
  return fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return ;;\n", pattern,
                     fmt::join(flag.words, " "));
}

// The function is named after the first of the programs.
std::string bash_programs(const CompletedPrograms& programs) {
  std::string cases, all;
  for (const FlagFacts& flag : programs.flags) {
    if (flag.takes_value) cases += bash_case(flag);
    all += fmt::format("{}{}", all.empty() ? "" : " ", fmt::join(names_of(flag), " "));
  }
  const std::string function = "_collbench_" + programs.names.front();
  return fmt::format(
      "{}() {{\n"
      "  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  case $prev in\n"
      "{}"
      "  esac\n"
      "  COMPREPLY=($(compgen -W '{}' -- \"$cur\"))\n"
      "}}\n"
      "complete -F {} {}\n",
      function, cases, all, function, fmt::join(programs.names, " "));
}

std::string bash(std::span<const CompletedPrograms> programs,
                 std::span<const std::string> subcommands) {
  std::string text = "# Completion for bash, written by: collbench completion bash\n";
  for (const CompletedPrograms& alike : programs) text += bash_programs(alike);
  return text + fmt::format(
                    "_collbench() {{\n"
                    "  local cur=${{COMP_WORDS[COMP_CWORD]}}\n"
                    "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
                    "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$cur\"))\n"
                    "  else\n"
                    "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
                    "  fi\n"
                    "}}\n"
                    "complete -o filenames -F _collbench collbench\n",
                    fmt::join(subcommands, " "));
}

// ---- zsh

// What stands between brackets or quotes of a specification.
std::string zsh_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return escaped;
}

std::string zsh_value(const FlagFacts& flag) {
  if (!flag.takes_value) return "";
  if (flag.is_file) return ":file:_files";
  if (flag.words.empty()) return ":value: ";
  return fmt::format(":value:({})", fmt::join(flag.words, " "));
}

std::string zsh_specifications(const FlagFacts& flag) {
  std::string text;
  for (const std::string& name : names_of(flag)) {
    text += fmt::format(" \\\n    '({}){}[{}]{}'", fmt::join(names_of(flag), " "), name,
                        zsh_text(flag.help), zsh_value(flag));
  }
  return text;
}

std::string zsh(std::span<const CompletedPrograms> programs,
                std::span<const std::string> subcommands) {
  std::string names, cases;
  for (const CompletedPrograms& alike : programs) {
    std::string specifications;
    for (const FlagFacts& flag : alike.flags) specifications += zsh_specifications(flag);
    names += fmt::format(" {}", fmt::join(alike.names, " "));
    cases += fmt::format("  {}) _arguments{} ;;\n", fmt::join(alike.names, "|"), specifications);
  }
  return fmt::format(
      "#compdef{} collbench\n"
      "# Completion for zsh, written by: collbench completion zsh\n"
      "case $service in\n"
      "  collbench) _arguments '1:subcommand:({})' '*:file:_files' ;;\n"
      "{}"
      "esac\n",
      names, fmt::join(subcommands, " "), cases);
}

}  // namespace

std::string completion_script(Shell shell, std::span<const CompletedPrograms> programs,
                              std::span<const std::string> subcommands) {
  return shell == Shell::bash ? bash(programs, subcommands) : zsh(programs, subcommands);
}

}  // namespace collbench
