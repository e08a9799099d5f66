// SPDX-License-Identifier: Apache-2.0
// The flags that say how NCCL is used: registration, memory, configuration, calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "comm/nccl_use.h"

namespace collbench {

class NcclFlags {
 public:
  /// Under the heading of whoever calls.
  void declare(CommandLine& line);

  /// Throws UserError for what cannot be meant. `only_on_gpus` becomes a sentence that names the
  /// first flag that asks for something, unless it is one already.
  NcclUse read(std::string& only_on_gpus) const;

 private:
  std::optional<std::string> registration_, buffers_, cta_policy_, exchanges_;
  std::vector<std::string> config_;
};

}  // namespace collbench
