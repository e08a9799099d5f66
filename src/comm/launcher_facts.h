// SPDX-License-Identifier: Apache-2.0
// What the launcher says of this process before MPI has started: read from its environment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace collbench {

/// A process that no launcher started is rank 0 of 1.
struct LauncherFacts {
  int rank = 0;
  std::optional<int> size = 1;  // nothing: this launcher does not say
  std::string_view launcher;    // "hydra", "Open MPI", "PMIx", "Slurm"; empty: none
  // Where no launcher started it, and the environment is nevertheless that of several processes:
  std::string_view announced_by;  // the variable that says so: "SLURM_NTASKS"
  int announced = 1;
};

/// The value of an environment variable, or null.
using ReadEnvironment = std::function<const char*(const char* name)>;

/// Facts for messages before MPI_Init, where only rank 0 prints; MPI's own rank counts after it.
///
/// Several launchers may have left their variables (mpirun inside a Slurm job): the innermost one
/// counts. A launcher whose numbers make no sense is passed over. Slurm's variables are those of a
/// launcher in the tasks of a step, which srun started. Its batch scripts and shells have them too,
/// but there they only tell what the job may start.
LauncherFacts launcher_facts(const ReadEnvironment& read);

/// Of this process.
LauncherFacts launcher_facts();

/// Why a run of so many processes, by MPI's count, is not the run that was asked for, and what to
/// do; empty when it is.
std::string start_fault(const LauncherFacts& facts, int processes, std::string_view mpi_library);

}  // namespace collbench
