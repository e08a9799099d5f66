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

struct Case {
  const char* what;
  Environment environment;
  int rank;
  std::optional<int> size;
  int local_rank;
  const char* launcher;
};

TEST(LauncherFacts, OfEveryLauncher) {
  const Case cases[] = {
      {"no launcher", {}, 0, 1, 0, ""},
      {"hydra", {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "1"}}, 3, 4, 1, "hydra"},
      {"hydra without local ranks", {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}, 3, 4, 0, "hydra"},
      {"Open MPI",
       {{"OMPI_COMM_WORLD_RANK", "1"},
        {"OMPI_COMM_WORLD_SIZE", "2"},
        {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
        {"PMIX_RANK", "1"}},
       1,
       2,
       1,
       "Open MPI"},
      {"srun",
       {{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "8"}, {"SLURM_LOCALID", "2"}},
       5,
       8,
       2,
       "Slurm"},
      {"srun with PMIx",
       {{"PMIX_RANK", "5"}, {"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "8"}, {"SLURM_LOCALID", "2"}},
       5,
       8,
       2,
       "PMIx"},
      {"PMIx alone does not say the size", {{"PMIX_RANK", "5"}}, 5, std::nullopt, 0, "PMIx"},
      {"mpirun inside a Slurm job: the script is task 0 of 1",
       {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}, {"PMI_RANK", "2"}, {"PMI_SIZE", "4"}},
       2,
       4,
       0,
       "hydra"},
  };
  for (const Case& c : cases) {
    const LauncherFacts facts = facts_in(c.environment);
    EXPECT_EQ(facts.rank, c.rank) << c.what;
    EXPECT_EQ(facts.size, c.size) << c.what;
    EXPECT_EQ(facts.local_rank, c.local_rank) << c.what;
    EXPECT_EQ(facts.launcher, c.launcher) << c.what;
  }
}

TEST(LauncherFacts, PassOverNumbersThatMakeNoSense) {
  for (const char* rank : {"", "x", "-1", "1x", " 1", "4", "99999999999999"}) {
    const LauncherFacts facts = facts_in({{"PMI_RANK", rank}, {"PMI_SIZE", "4"}});
    EXPECT_EQ(facts.launcher, "") << rank;
    EXPECT_EQ(facts.rank, 0) << rank;
  }
  const LauncherFacts next = facts_in(
      {{"PMI_RANK", "x"}, {"PMI_SIZE", "4"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}});
  EXPECT_EQ(next.launcher, "Slurm");
  EXPECT_EQ(next.rank, 1);
}

}  // namespace
}  // namespace collbench
