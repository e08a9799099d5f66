// SPDX-License-Identifier: Apache-2.0
// The flags that say what the table on stdout looks like, and what stderr says meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/command_line.h"

namespace collbench {

/// How a long sweep says how far it is.
enum class ProgressChoice : std::uint8_t { automatic, bar, plain, none };

struct ProgressChoiceRow {
  ProgressChoice choice;
  std::string_view name;
};

inline constexpr std::array<ProgressChoiceRow, 4> kProgressChoices = {{
    {ProgressChoice::automatic, "auto"},
    {ProgressChoice::bar, "bar"},
    {ProgressChoice::plain, "plain"},
    {ProgressChoice::none, "none"},
}};

struct TableChoice {
  bool timestamps = false;   // -S
  bool statistics = false;   // --stats
  bool nccl_compat = false;  // --nccl-compat
  ProgressChoice progress = ProgressChoice::automatic;
};

class OutputFlags {
 public:
  /// Declares them under the heading that is open.
  void declare(CommandLine& line);

  /// Throws UserError for what cannot be meant.
  TableChoice read() const;

 private:
  std::optional<std::string> timestamps_, progress_;
  TableChoice choice_;
};

}  // namespace collbench
