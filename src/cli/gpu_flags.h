// SPDX-License-Identifier: Apache-2.0
// The flags of nccl-tests that only GPUs give a meaning.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cli/command_line.h"
#include "cli/nccl_flags.h"

namespace collbench {

struct GpuChoice {
  int threads = 1;                    // -t, and
  int gpus_per_thread = 1;            // -g: rank threads of a process are their product
  bool default_stream = false;        // -y
  std::uint64_t graph_launches = 0;   // -G
  bool show_memory = false;           // -M
  std::optional<int> first_device{};  // NCCL_TESTS_DEVICE
  NcclUse nccl{};                     // -R, --buffers, -x, --nccl-config, --alltoall
  std::string only_on_gpus;  // why hosts cannot do what is asked for, a sentence; empty: they can

  int ranks_per_process() const { return threads * gpus_per_thread; }
};

class GpuFlags {
 public:
  /// Declares them under a heading of their own.
  void declare(CommandLine& line);

  /// Declares -t and -g alone, under the same heading.
  void declare_ranks(CommandLine& line);

  /// Throws UserError for what cannot be meant, and for flags of nccl-tests that no backend of ours
  /// gives a meaning, where they ask for something: `-D 0` passes and `-D 1` does not.
  GpuChoice read() const;

 private:
  void declare(CommandLine& line, std::string_view letter, std::string_view name,
               std::string_view help);
  std::optional<std::string> text_of(std::string_view letter) const;
  [[noreturn]] void refuse_unknown_to_all(std::string_view letter, std::string_view why) const;
  int ranks(std::string_view letter) const;

  std::map<std::string, std::optional<std::string>> values_;  // by letter
  NcclFlags nccl_;
};

}  // namespace collbench
