// SPDX-License-Identifier: Apache-2.0
#include "comm/launcher_facts.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace collbench {
namespace {

using Environment = std::map<std::string, std::string>;

LauncherFacts facts_in(const Environment& environment) {
  return launcher_facts([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

Environment with(Environment environment, const Environment& more) {
  for (const auto& [name, value] : more) environment[name] = value;
  return environment;
}

// What srun gives a task of a step.
Environment task(int rank, int tasks) {
  return {{"SLURM_STEP_ID", "0"},
          {"SLURM_PROCID", std::to_string(rank)},
          {"SLURM_STEP_NUM_TASKS", std::to_string(tasks)},
          {"SLURM_NTASKS", std::to_string(tasks)}};
}

// What sbatch gives its script: it is task 0, and the job may start so many.
Environment batch_script(int tasks) {
  return {{"SLURM_STEP_ID", "-5"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", std::to_string(tasks)}};
}

struct Case {
  const char* what;
  Environment environment;
  int rank;
  std::optional<int> size;
  const char* launcher;
};

TEST(LauncherFacts, OfEveryLauncher) {
  const Case cases[] = {
      {"no launcher", {}, 0, 1, ""},
      {"hydra", {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}, 3, 4, "hydra"},
      {"Open MPI",
       {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}, {"PMIX_RANK", "1"}},
       1,
       2,
       "Open MPI"},
      {"srun", task(5, 8), 5, 8, "Slurm"},
      {"srun of a part of the job that preserves its variables",
       with(task(3, 4), {{"SLURM_NTASKS", "64"}}), 3, 4, "Slurm"},
      {"srun that does not tell the size of its step",
       {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "8"}},
       5,
       8,
       "Slurm"},
      {"srun with PMIx", with(task(5, 8), {{"PMIX_RANK", "5"}}), 5, 8, "Slurm"},
      {"a PMIx launcher whose daemon srun started", with(task(1, 2), {{"PMIX_RANK", "5"}}), 5,
       std::nullopt, "PMIx"},
      {"PMIx alone does not say the size", {{"PMIX_RANK", "5"}}, 5, std::nullopt, "PMIx"},
      {"mpirun in the script of a Slurm job",
       with(batch_script(64), {{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}}), 2, 4, "hydra"},
      {"a PMIx launcher in the script of a Slurm job", with(batch_script(64), {{"PMIX_RANK", "2"}}),
       2, std::nullopt, "PMIx"},
      {"mpirun whose proxy srun started", with(task(1, 2), {{"PMI_RANK", "5"}, {"PMI_SIZE", "8"}}),
       5, 8, "hydra"},
      {"a Slurm script without mpirun", batch_script(64), 0, 1, ""},
      {"a Slurm script, by older variables",
       with(batch_script(64), {{"SLURM_STEP_ID", "4294967291"}}), 0, 1, ""},
      {"a shell of salloc", {{"SLURM_NTASKS", "64"}}, 0, 1, ""},
  };
  for (const Case& c : cases) {
    const LauncherFacts facts = facts_in(c.environment);
    EXPECT_EQ(facts.rank, c.rank) << c.what;
    EXPECT_EQ(facts.size, c.size) << c.what;
    EXPECT_EQ(facts.launcher, c.launcher) << c.what;
  }
}

TEST(LauncherFacts, PassOverNumbersThatMakeNoSense) {
  for (const char* rank : {"", "x", "-1", "1x", " 1", "4", "99999999999999"}) {
    const LauncherFacts facts = facts_in({{"PMI_RANK", rank}, {"PMI_SIZE", "4"}});
    EXPECT_EQ(facts.launcher, "") << rank;
    EXPECT_EQ(facts.rank, 0) << rank;
  }
  const LauncherFacts next = facts_in(with(task(1, 2), {{"PMI_RANK", "x"}, {"PMI_SIZE", "4"}}));
  EXPECT_EQ(next.launcher, "Slurm");
  EXPECT_EQ(next.rank, 1);
}

// Of a run in which MPI sees so many processes.
std::string fault_of(const Environment& environment, int processes) {
  return start_fault(facts_in(environment), processes, "MPICH 4.0.2");
}

TEST(StartFault, NoneWhereTheEnvironmentAgrees) {
  const Environment job = batch_script(64);
  EXPECT_EQ(fault_of({}, 1), "");
  EXPECT_EQ(fault_of(with(job, {{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}}), 4), "");
  EXPECT_EQ(fault_of(with(job, {{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}), 1), "");
  EXPECT_EQ(fault_of(with(job, {{"PMIX_RANK", "0"}}), 4), "");
  EXPECT_EQ(fault_of(task(0, 4), 4), "");
  EXPECT_EQ(fault_of(with(task(0, 1), {{"SLURM_NTASKS", "64"}}), 1), "");
  EXPECT_EQ(fault_of(batch_script(1), 1), "");
  EXPECT_EQ(fault_of(with(job, {{"SLURM_NTASKS", ""}}), 1), "");
  EXPECT_EQ(fault_of(job, 4), "") << "a launcher that we do not know";
}

TEST(StartFault, OneProcessInAJobOfMany) {
  EXPECT_EQ(fault_of(batch_script(64), 1),
            "SLURM_NTASKS announces 64 processes but no launcher started this one: start it with "
            "srun or mpirun (mpirun -np 1 for a run of one process), or unset SLURM_NTASKS");
  EXPECT_NE(fault_of({{"SLURM_NTASKS", "64"}}, 1), "") << "in a shell of salloc";
  EXPECT_NE(fault_of({{"PMI_SIZE", "4"}}, 1).find("PMI_SIZE announces 4"), std::string::npos);
  EXPECT_NE(fault_of({{"OMPI_COMM_WORLD_SIZE", "4"}}, 1).find("or unset OMPI_COMM_WORLD_SIZE"),
            std::string::npos);
  EXPECT_NE(fault_of({{"PMI_SIZE", "1"}, {"SLURM_NTASKS", "64"}}, 1), "");
}

TEST(StartFault, ALauncherOfAnotherMpi) {
  EXPECT_EQ(fault_of(task(3, 64), 1),
            "Slurm started 64 processes but MPI sees 1: this program is built for MPICH 4.0.2, "
            "start it with the mpirun of that library");
  EXPECT_NE(fault_of({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "4"}}, 1), "");
  EXPECT_NE(fault_of({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}}, 2), "");
}

}  // namespace
}  // namespace collbench
