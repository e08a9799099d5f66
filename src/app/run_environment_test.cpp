// SPDX-License-Identifier: Apache-2.0
#include "app/run_environment.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "base/host.h"

namespace collbench {
namespace {

/// Rank 0 of three that send what rank 0 sends, but rank 1 from a host of another name.
class ThreeRanks final : public ControlPlane {
 public:
  int rank() const override { return 0; }
  int size() const override { return 3; }
  void barrier() override {}
  void broadcast_bytes(void* /*data*/, Bytes /*bytes*/) override {}

  void all_gather_bytes(const void* mine, Bytes each, void* all) override {
    for (int rank = 0; rank < size(); ++rank) {
      std::string text(static_cast<const char*>(mine), each);
      const std::string name = "\"" + host_name() + "\"";
      const std::size_t at = text.find(name);
      if (rank == 1 && at != std::string::npos) {
        text.replace(at + 1, name.size() - 2, name.size() - 2, 'x');
      }
      std::memcpy(static_cast<char*>(all) + static_cast<Bytes>(rank) * each, text.data(), each);
    }
  }
};

TEST(RunEnvironment, HostsInOrderOfTheirFirstRankAndWhereEachRankRuns) {
  ThreeRanks control;
  const Environment environment = gather_environment(control, {"Abacus \"3\"", "0000:17:00.0", 2});
  ASSERT_EQ(environment.hosts.size(), 2U);
  EXPECT_EQ(environment.hosts[0].name, host_name());
  EXPECT_EQ(environment.hosts[1].name, std::string(host_name().size(), 'x'));
  EXPECT_EQ(environment.hosts[1].cpu_model, cpu_model());
  EXPECT_EQ(environment.hosts[1].memory_bytes, environment.hosts[0].memory_bytes);
  ASSERT_EQ(environment.ranks.size(), 3U);
  EXPECT_EQ(environment.ranks[0].host, 0);
  EXPECT_EQ(environment.ranks[1].host, 1);
  EXPECT_EQ(environment.ranks[2].host, 0);
  EXPECT_EQ(environment.ranks[2].pid, getpid());
  EXPECT_EQ(environment.ranks[2].device, 2);
  EXPECT_EQ(environment.ranks[2].device_bus_id, "0000:17:00.0");
  EXPECT_EQ(environment.ranks[2].device_model, "Abacus \"3\"");
}

}  // namespace
}  // namespace collbench
