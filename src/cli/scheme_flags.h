// SPDX-License-Identifier: Apache-2.0
// The flags that choose a variant of each scheme of parallelism.
#pragma once

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "plan/training_step.h"

namespace collbench {

class SchemeFlags {
 public:
  /// Those of ZeRO, or those of plain data parallelism, as `scheme` has it; and those of tensor,
  /// context and pipeline parallelism, and of experts.
  explicit SchemeFlags(const plan::Scheme& scheme) : scheme_(scheme) {}

  void declare(CommandLine& line);

  /// `scheme` with what the flags change. Throws UserError.
  plan::Scheme read() const;

  /// Whether a flag says something of experts.
  bool names_experts() const { return routing_ || dispatcher_ || dispatch_type_ || balance_; }
  bool overlaps_shared_experts() const { return shared_expert_overlap_; }

 private:
  void declare_zero(CommandLine& line);
  void declare_data_parallel(CommandLine& line);

  bool is_zero() const { return std::holds_alternative<plan::ZeroOptions>(scheme_.parameters); }
  plan::ZeroOptions zero() const;
  plan::DataParallelOptions data_parallel() const;
  plan::ContextOptions context() const;
  plan::ExpertOptions experts() const;
  std::optional<plan::BiasBalance> balance() const;

  plan::Scheme scheme_;
  std::optional<std::string> buckets_, bucket_size_, zero_, bucket_elements_, prefetch_elements_,
      reuse_elements_, persistent_elements_, tensor_, context_, split_, schedule_, messages_,
      routing_, dispatcher_, dispatch_type_, balance_, balance_steps_, bias_update_rate_;
  bool no_overlap_ = false, no_reshard_ = false, no_prefetch_ = false, gather_at_end_ = false,
       reduce_to_owners_ = false, reshard_in_groups_ = false, fused_loss_ = false,
       shared_expert_overlap_ = false;
};

}  // namespace collbench
