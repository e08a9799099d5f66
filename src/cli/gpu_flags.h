// SPDX-License-Identifier: Apache-2.0
// The flags of nccl-tests that only GPUs give a meaning: known, so that they can be refused with
// the reason, and taken where they ask for what a host does anyway.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "cli/command_line.h"

namespace collbench {

class GpuFlags {
 public:
  /// Declares them, unseen in --help but for one line at its end.
  void declare(CommandLine& line);

  /// Throws UserError for the first whose value asks for more than a host can do: `-g 1` and `-G 0`
  /// pass, `-g 2` and `-G 1` do not.
  void refuse_meaningless() const;

 private:
  static constexpr std::size_t kCount = 10;
  std::array<std::optional<std::string>, kCount> values_;
};

}  // namespace collbench
