// SPDX-License-Identifier: Apache-2.0
#include "comm/launcher_facts.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>

namespace collbench {
namespace {

struct Launcher {
  std::string_view name;
  const char* rank;
  const char* size;
};

// Innermost first. PMIx is the way by which Open MPI's mpirun and srun may pass on the rank.
constexpr std::array<Launcher, 2> kMpiruns = {{
    {"hydra", "PMI_RANK", "PMI_SIZE"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
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

// Nothing when `rank` and `size` make no sense.
std::optional<LauncherFacts> facts_of(std::string_view launcher, std::optional<int> rank,
                                      std::optional<int> size) {
  if (!rank || (size && *rank >= *size)) return std::nullopt;
  return LauncherFacts{*rank, size, launcher, "", 1};
}

// What srun started. A batch script and the shell of salloc have no step, or one whose number is
// 0xfffffffa and above, written with or without a sign: neither is read as a number here. Within a
// step SLURM_NTASKS is the job's when srun was told to preserve the environment.
std::optional<LauncherFacts> slurm_task(const ReadEnvironment& read) {
  if (!number(read, "SLURM_STEP_ID")) return std::nullopt;
  auto tasks = number(read, "SLURM_STEP_NUM_TASKS");
  if (!tasks) tasks = number(read, "SLURM_NTASKS");
  return facts_of("Slurm", number(read, "SLURM_PROCID"), tasks);
}

std::optional<LauncherFacts> found_launcher(const ReadEnvironment& read) {
  for (const Launcher& launcher : kMpiruns) {
    const auto facts =
        facts_of(launcher.name, number(read, launcher.rank), number(read, launcher.size));
    if (facts) return facts;
  }
  const std::optional<int> pmix_rank = number(read, "PMIX_RANK");
  const std::optional<LauncherFacts> task = slurm_task(read);
  // Another rank means that the task is a daemon of a launcher, and this one of its processes.
  if (task && pmix_rank.value_or(task->rank) == task->rank) return task;
  return facts_of("PMIx", pmix_rank, std::nullopt);
}

}  // namespace

LauncherFacts launcher_facts(const ReadEnvironment& read) {
  if (const auto facts = found_launcher(read)) return *facts;
  LauncherFacts alone;
  for (const char* variable : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"}) {
    alone.announced = number(read, variable).value_or(1);
    alone.announced_by = variable;
    if (alone.announced > 1) return alone;
  }
  return {};
}

LauncherFacts launcher_facts() {
  return launcher_facts([](const char* name) { return std::getenv(name); });
}

std::string start_fault(const LauncherFacts& facts, int processes, std::string_view mpi_library) {
  if (facts.size.value_or(1) > processes) {
    return fmt::format(
        "{} started {} processes but MPI sees {}: this program is built for {}, start it with the "
        "mpirun of that library",
        facts.launcher, *facts.size, processes, mpi_library);
  }
  // Ranks that see each other have been started by some launcher.
  if (facts.announced > 1 && processes == 1) {
    return fmt::format(
        "{0} announces {1} processes but no launcher started this one: start it with srun or "
        "mpirun (mpirun -np 1 for a run of one process), or unset {0}",
        facts.announced_by, facts.announced);
  }
  return "";
}

}  // namespace collbench
