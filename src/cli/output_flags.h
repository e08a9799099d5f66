// SPDX-License-Identifier: Apache-2.0
// The flags that say what the table on stdout looks like.
#pragma once

#include <optional>
#include <string>

#include "cli/command_line.h"

namespace collbench {

struct TableChoice {
  bool timestamps = false;   // -S
  bool statistics = false;   // --stats
  bool nccl_compat = false;  // --nccl-compat
};

class OutputFlags {
 public:
  /// Declares them under the heading that is open.
  void declare(CommandLine& line);

  /// Throws UserError for what cannot be meant.
  TableChoice read() const;

 private:
  std::optional<std::string> timestamps_;
  TableChoice choice_;
};

}  // namespace collbench
