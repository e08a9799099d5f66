// SPDX-License-Identifier: Apache-2.0
// The flags that say how fast links and computing are, for predictions.
#pragma once

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "plan/predict.h"

namespace collbench {

class CostFlags {
 public:
  /// Declares them under a heading of their own.
  void declare(CommandLine& line);

  /// Throws UserError.
  plan::Costs read() const;

  /// Whether it is given how fast products of matrices are.
  bool names_rate() const { return tflops_.has_value(); }

  /// Whether it is given how fast links are whatever goes over them, and which ranks share a node.
  bool names_links() const { return node_ || network_; }
  bool names_nodes() const { return ranks_per_node_.has_value(); }

 private:
  std::optional<std::string> ranks_per_node_, node_, network_, links_, tflops_, memory_;
  bool own_links_ = false;
};

}  // namespace collbench
