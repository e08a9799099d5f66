// SPDX-License-Identifier: Apache-2.0
#include "analysis/environment_facts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "results/example_document.h"

namespace collbench {
namespace {

std::vector<EnvironmentFacts> of(const Document& document) { return {environment_facts(document)}; }

// pytest-benchmark#255: a machine is not another one because its clocks or its name are.
TEST(EnvironmentFacts, NamesOfHostsAndProcessesDoNotCount) {
  Document other = example::ended();
  other.run.id = "another";
  other.run.started = "2027-01-01T00:00:00Z";
  for (HostFacts& host : other.environment.hosts) host.name += "x";
  for (RankFacts& rank : other.environment.ranks) rank.pid += 1;
  EXPECT_TRUE(environment_differences(of(example::ended()), of(other)).empty());
}

TEST(EnvironmentFacts, AnotherProcessorIsAHardDifferenceAndAnotherLibraryASoftOne) {
  Document other = example::ended();
  for (HostFacts& host : other.environment.hosts) host.cpu_model = "Another CPU";
  other.environment.libraries["mpi"] = "MPICH 5.0.0";
  other.environment.variables["NCCL_ALGO"] = "Ring";
  const auto differences = environment_differences(of(example::ended()), of(other));
  ASSERT_EQ(differences.size(), 3U);
  EXPECT_EQ(differences[0].name, "CPU model");
  EXPECT_TRUE(differences[0].is_hard);
  EXPECT_EQ(differences[0].candidate, "Another CPU");
  EXPECT_EQ(differences[1], (EnvironmentDifference{"NCCL_ALGO", false, "", "Ring"}));
  EXPECT_EQ(differences[2].name, "mpi");
  EXPECT_EQ(differences[2].candidate, "MPICH 5.0.0");
  EXPECT_FALSE(differences[2].is_hard);
}

// Streams of their own make the host's engine another one, also for what is measured alone.
TEST(EnvironmentFacts, WhatRunsBesideIsOneOfTheSoft) {
  Document other = example::ended();
  other.config.interfere = "all_gather@world";
  const auto differences = environment_differences(of(example::ended()), of(other));
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0], (EnvironmentDifference{"--interfere", false, "", "all_gather@world"}));
}

TEST(EnvironmentFacts, HowNcclWasAskedToWorkIsOneOfTheSoft) {
  Document other = example::ended();
  other.config.nccl = {
      .buffers = "ncclmem", .registration = "windows", .fields = {{"CTAPolicy", "2"}}};
  const auto differences = environment_differences(of(example::ended()), of(other));
  ASSERT_EQ(differences.size(), 3U);
  EXPECT_EQ(differences[0], (EnvironmentDifference{"--buffers", false, "", "ncclmem"}));
  EXPECT_EQ(differences[1], (EnvironmentDifference{"--nccl-config CTAPolicy", false, "", "2"}));
  EXPECT_EQ(differences[2], (EnvironmentDifference{"-R", false, "", "windows"}));
}

TEST(EnvironmentFacts, WhereRanksAreIsOne) {
  const auto placed = [](std::size_t hosts, const std::vector<int>& host_of_rank) {
    Document document = example::ended();
    document.environment.hosts.resize(hosts, document.environment.hosts[0]);
    document.environment.ranks.clear();
    for (const int host : host_of_rank) document.environment.ranks.emplace_back().host = host;
    const auto soft = environment_facts(document).soft;
    const auto found = soft.find("ranks");
    return found == soft.end() ? "none" : found->second;
  };
  EXPECT_EQ(placed(1, {0, 0}), "none");
  EXPECT_EQ(placed(2, {0, 1}), "1 on each of 2 hosts");
  EXPECT_EQ(placed(2, {0, 0, 1, 1}), "2 on each of 2 hosts, one after the other");
  EXPECT_EQ(placed(2, {0, 1, 0, 1}), "2 on each of 2 hosts, in turns");
  EXPECT_EQ(placed(2, {0, 1, 1, 0}), "2 on each of 2 hosts, in no order");
  EXPECT_EQ(placed(2, {0, 0, 0, 1}), "3, 1 on 2 hosts, one after the other");
}

TEST(EnvironmentFacts, WhichCoresARankMayUseIsOne) {
  Document other = example::ended();
  for (RankFacts& rank : other.environment.ranks) rank.cpus = fmt::format("{}", rank.rank);
  const auto differences = environment_differences(of(example::ended()), of(other));
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0], (EnvironmentDifference{"CPUs of a rank", false, "", "0 | 1"}));
}

TEST(EnvironmentFacts, WhatOneSideDoesNotSayIsNoOtherMachine) {
  const std::vector<EnvironmentFacts> base = {{{{"CPU model", "Xeon"}}, {}}};
  const std::vector<EnvironmentFacts> imported = {{}};
  const auto differences = environment_differences(base, imported);
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_FALSE(differences[0].is_hard);
}

TEST(EnvironmentFacts, SidesThatShareAMachineAreComparable) {
  const std::vector<EnvironmentFacts> base = {{{{"CPU model", "Xeon"}}, {}}};
  const std::vector<EnvironmentFacts> two = {{{{"CPU model", "Xeon"}}, {}},
                                             {{{"CPU model", "EPYC"}}, {}}};
  const auto differences = environment_differences(base, two);
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0], (EnvironmentDifference{"CPU model", false, "Xeon", "EPYC | Xeon"}));
  EXPECT_EQ(uneven_facts(two), std::vector<std::string>{"CPU model"});
  EXPECT_TRUE(uneven_facts(base).empty());
}

}  // namespace
}  // namespace collbench
