// SPDX-License-Identifier: Apache-2.0
// Tests of what a result file says of a host, above all of what it must not say.
#include "results/host_environment.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <regex>
#include <vector>

#include "base/host.h"

namespace collbench {
namespace {

using Variables = std::map<std::string, std::string>;

Variables select(const std::vector<const char*>& environment) {
  return select_variables(environment);
}

TEST(HostEnvironment, VariablesAreTakenByAllowList) {
  EXPECT_EQ(
      select({"NCCL_DEBUG=INFO", "UCX_TLS=rc,sm", "FI_PROVIDER=tcp", "MPICH_ASYNC_PROGRESS=1",
              "MPIR_CVAR_CH4_NETMOD=ofi", "CUDA_VISIBLE_DEVICES=0,1", "OMP_NUM_THREADS=4",
              "COLLBENCH_BUILD=b", "SLURM_JOB_ID=7", "SLURM_JOB_NUM_NODES=2", "SLURM_NTASKS=16"}),
      (Variables{{"NCCL_DEBUG", "INFO"},
                 {"UCX_TLS", "rc,sm"},
                 {"FI_PROVIDER", "tcp"},
                 {"MPICH_ASYNC_PROGRESS", "1"},
                 {"MPIR_CVAR_CH4_NETMOD", "ofi"},
                 {"CUDA_VISIBLE_DEVICES", "0,1"},
                 {"OMP_NUM_THREADS", "4"},
                 {"COLLBENCH_BUILD", "b"},
                 {"SLURM_JOB_ID", "7"},
                 {"SLURM_JOB_NUM_NODES", "2"},
                 {"SLURM_NTASKS", "16"}}));
}

TEST(HostEnvironment, EverythingElseIsLeftOut) {
  EXPECT_EQ(select({"PATH=/bin", "HOME=/root", "AWS_SECRET_ACCESS_KEY=hunter2", "MY_NCCL_X=1",
                    "nccl_debug=1", "SLURM_JOB_USER=eve", "SLURM_JOB_ID_X=1", "SLURM_NTASKS_X=1",
                    "NCCL_NO_EQUALS", "=NCCL_X", "", "NCCL"}),
            Variables{});
}

TEST(HostEnvironment, SecretsAreRedacted) {
  const Variables variables =
      select({"NCCL_AUTH_TOKEN=hunter2", "UCX_SECRET=hunter2", "COLLBENCH_api_key=hunter2",
              "FI_PASSWORD=hunter2", "OMP_credentials=hunter2", "NCCL_SOCKET_IFNAME=eth0"});
  EXPECT_EQ(variables.size(), 6U);
  for (const auto& [name, value] : variables) {
    EXPECT_EQ(value, name == "NCCL_SOCKET_IFNAME" ? "eth0" : "<redacted>") << name;
  }
}

TEST(HostEnvironment, ValuesAreKeptAsTheyAre) {
  EXPECT_EQ(select({"NCCL_EMPTY=", "NCCL_EQUALS=a=b=c", "NCCL_SPACE= x "}),
            (Variables{{"NCCL_EMPTY", ""}, {"NCCL_EQUALS", "a=b=c"}, {"NCCL_SPACE", " x "}}));
}

TEST(HostEnvironment, TheOwnEnvironmentIsRead) {
  setenv("COLLBENCH_TEST_VARIABLE", "here", 1);
  setenv("NOT_FOR_FILES", "secret", 1);
  const Variables variables = recorded_variables();
  EXPECT_EQ(variables.at("COLLBENCH_TEST_VARIABLE"), "here");
  EXPECT_EQ(variables.count("NOT_FOR_FILES"), 0U);
  unsetenv("COLLBENCH_TEST_VARIABLE");
  unsetenv("NOT_FOR_FILES");
}

TEST(HostEnvironment, ThisHost) {
  const HostFacts host = host_facts();
  EXPECT_EQ(host.name, host_name());
  EXPECT_EQ(host.cpu_model, cpu_model());  // as the devices of its ranks are called
  EXPECT_GE(host.cores, 1);
  EXPECT_LE(host.cores, sysconf(_SC_NPROCESSORS_CONF));
  EXPECT_GT(host.memory_bytes, 64U << 20);
  EXPECT_TRUE(host.kernel.starts_with("Linux "));
  EXPECT_TRUE(std::regex_match(host.topology_digest, std::regex("[0-9a-f]{16}")));
}

// hwloc builds a host's topology from a description of it when these variables say so.
TEST(HostEnvironment, TheDigestIsOfTheStructureOnly) {
  const auto facts_of = [](const char* synthetic) {
    setenv("HWLOC_SYNTHETIC", synthetic, 1);
    const HostFacts host = host_facts();
    unsetenv("HWLOC_SYNTHETIC");
    return host;
  };
  const HostFacts host = facts_of("pack:2 [numa(memory=1GB)] l3:1(size=1MB) core:4 pu:2");
  EXPECT_EQ(host.cores, 8);
  EXPECT_EQ(facts_of("pack:2 [numa(memory=2GB)] l3:1(size=1MB) core:4 pu:2").topology_digest,
            host.topology_digest);
  for (const char* other : {"pack:1 [numa(memory=1GB)] l3:1(size=1MB) core:8 pu:2",
                            "pack:2 [numa(memory=1GB)] l3:1(size=2MB) core:4 pu:2",
                            "pack:2 l3:1(size=1MB) [numa(memory=1GB)] core:4 pu:1",
                            "[numa(memory=2GB)] pack:2 l3:1(size=1MB) core:4 pu:2"}) {
    EXPECT_NE(facts_of(other).topology_digest, host.topology_digest) << other;
  }
  EXPECT_EQ(facts_of("[numa(memory=1GB)] pack:1 pu:3").cores, 3);
}

}  // namespace
}  // namespace collbench
