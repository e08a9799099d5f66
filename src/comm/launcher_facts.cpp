// SPDX-License-Identifier: Apache-2.0
#include "comm/launcher_facts.h"

#include <array>
#include <charconv>
#include <cstdlib>

namespace collbench {
namespace {

struct Launcher {
  std::string_view name;
  const char* rank;
  const char* size;
  const char* local_rank;
};

// Innermost first: mpirun runs inside a Slurm job and may itself start ranks through PMIx or srun.
constexpr std::array<Launcher, 4> kLaunchers = {{
    {"hydra", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"PMIx", "PMIX_RANK", "SLURM_NTASKS", "SLURM_LOCALID"},
    {"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
}};

std::optional<int> number(const ReadEnvironment& read, const char* name) {
  const char* text = read(name);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 0) return {};
  return value;
}

}  // namespace

LauncherFacts launcher_facts(const ReadEnvironment& read) {
  for (const Launcher& launcher : kLaunchers) {
    const std::optional<int> rank = number(read, launcher.rank);
    const std::optional<int> size = number(read, launcher.size);
    if (!rank || (size && *rank >= *size)) continue;
    return {*rank, size, number(read, launcher.local_rank).value_or(0), launcher.name};
  }
  return {};
}

LauncherFacts launcher_facts() {
  return launcher_facts([](const char* name) { return std::getenv(name); });
}

}  // namespace collbench
