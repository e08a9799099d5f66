// SPDX-License-Identifier: Apache-2.0
// Scripts that complete command lines in a shell, made from what --help is made from.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flag_facts.h"

namespace collbench {

enum class Shell : std::uint8_t { bash, zsh };

struct ShellRow {
  Shell shell;
  std::string_view name;
};

inline constexpr std::array<ShellRow, 2> kShells = {{{Shell::bash, "bash"}, {Shell::zsh, "zsh"}}};

/// Programs that take the same flags.
struct CompletedPrograms {
  std::vector<std::string> names;  // "all_reduce_perf"
  std::vector<FlagFacts> flags;
};

/// The script for all of these, and for the subcommands of `collbench`, which take files.
std::string completion_script(Shell shell, std::span<const CompletedPrograms> programs,
                              std::span<const std::string> subcommands);

}  // namespace collbench
