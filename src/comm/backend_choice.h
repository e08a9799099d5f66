// SPDX-License-Identifier: Apache-2.0
// Which backend a run takes, from what its ranks can have.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_rows.h"

namespace collbench {

/// What the user asks for: --backend auto, mpi or nccl.
enum class BackendChoice : std::uint8_t { automatic, mpi, nccl };

struct BackendChoiceRow {
  BackendChoice choice;
  std::string_view name;
};

inline constexpr std::array<BackendChoiceRow, 3> kBackendChoices = {{
    {BackendChoice::automatic, "auto"},
    {BackendChoice::mpi, "mpi"},
    {BackendChoice::nccl, "nccl"},
}};
static_assert(in_enum_order(kBackendChoices, &BackendChoiceRow::choice));

/// What one rank can have.
struct BackendOffer {
  std::string host;       // where the rank is
  std::string no_nccl;    // why it has no nccl; empty when it has
  std::string nccl_file;  // its plugin; empty when none was found
};

struct BackendDecision {
  bool nccl = false;
  std::string note;  // "backend mpi: ...", which and why, in one line
};

/// The same on every rank for the same `offers`, which go by rank. None are needed for mpi.
///
/// Throws CommonSystemError when nccl was asked for and a rank has none, and when some ranks have
/// it and others do not: a broken host must not turn a run on GPUs into one on hosts.
BackendDecision decide_backend(BackendChoice choice, const std::vector<BackendOffer>& offers);

}  // namespace collbench
