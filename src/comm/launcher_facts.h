// SPDX-License-Identifier: Apache-2.0
// What the launcher says of this process before MPI has started: read from its environment.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

namespace collbench {

/// A process that no launcher started is rank 0 of 1.
struct LauncherFacts {
  int rank = 0;
  std::optional<int> size = 1;  // nothing: this launcher does not say
  int local_rank = 0;           // on its host; 0 when the launcher does not say
  std::string_view launcher;    // "hydra", "Open MPI", "PMIx", "Slurm"; empty: none
};

/// The value of an environment variable, or null.
using ReadEnvironment = std::function<const char*(const char* name)>;

/// Facts for messages before MPI_Init, where only rank 0 prints; MPI's own rank counts after it.
///
/// Several launchers may have left their variables (mpirun inside a Slurm job): the innermost one
/// counts. A launcher whose numbers make no sense is passed over.
LauncherFacts launcher_facts(const ReadEnvironment& read);

/// Of this process.
LauncherFacts launcher_facts();

}  // namespace collbench
