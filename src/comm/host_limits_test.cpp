// SPDX-License-Identifier: Apache-2.0
#include "comm/host_limits.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "base/errors.h"
#include "base/host.h"

namespace collbench {
namespace {

// A root of a file system with a few files in it.
class HostLimits : public ::testing::Test {
 protected:
  HostLimits() {
    std::string name = (std::filesystem::temp_directory_path() / "host_limits.XXXXXX").string();
    root_ = mkdtemp(name.data());
    write("proc/meminfo", "MemTotal:       2000 kB\nMemAvailable:    1000 kB\n");
  }
  ~HostLimits() override { std::filesystem::remove_all(root_); }

  void write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  std::filesystem::path root_;
};

TEST_F(HostLimits, WithoutGroupsTheHostLimits) {
  EXPECT_EQ(available_memory(root_), 1000U * 1024);
  EXPECT_TRUE(std::isinf(granted_cores(root_)));
}

TEST_F(HostLimits, VersionTwo) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  write("sys/fs/cgroup/a/b/memory.current", "1000\n");
  write("sys/fs/cgroup/a/memory.max", "500000\n");
  write("sys/fs/cgroup/a/memory.current", "450000\n");
  write("sys/fs/cgroup/a/memory.stat", "anon 7\ninactive_file 10000\nactive_file 9\n");
  write("sys/fs/cgroup/a/b/cpu.max", "250000 100000\n");
  write("sys/fs/cgroup/a/cpu.max", "max 100000\n");
  EXPECT_EQ(available_memory(root_), 60000U);
  EXPECT_EQ(granted_cores(root_), 2.5);
}

TEST_F(HostLimits, VersionOne) {
  write("proc/self/cgroup", "4:memory:/job\n3:cpuset:/job\n2:cpu,cpuacct:/job\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "300000\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "100000\n");
  write("sys/fs/cgroup/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 50\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "100000\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(available_memory(root_), 200050U);
  EXPECT_EQ(granted_cores(root_), 1.5);
}

// In a container the named group is often one of the host's, and only its root can be seen.
TEST_F(HostLimits, AGroupOfAnotherNameSpace) {
  write("proc/self/cgroup", "4:memory:/docker/123\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "300000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "290000\n");
  EXPECT_EQ(available_memory(root_), 10000U);
}

TEST_F(HostLimits, AnOverdrawnGroupLeavesNothing) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "1000\n");
  write("sys/fs/cgroup/memory.current", "2000\n");
  EXPECT_EQ(available_memory(root_), 0U);
}

TEST_F(HostLimits, NoMeminfo) {
  std::filesystem::remove(root_ / "proc/meminfo");
  EXPECT_THROW(available_memory(root_), SystemError);
}

TEST_F(HostLimits, MachineId) {
  write("proc/sys/kernel/random/boot_id", "123e4567-e89b\n");
  EXPECT_EQ(machine_id(root_), "123e4567-e89b");
  std::filesystem::remove(root_ / "proc/sys/kernel/random/boot_id");
  EXPECT_EQ(machine_id(root_), host_name());
}

CoreMask cores(std::initializer_list<unsigned> numbers) {
  CoreMask mask{};
  for (const unsigned core : numbers) mask[core / 64] |= 1ULL << (core % 64);
  return mask;
}

TEST(AllowedCores, AreSome) {
  const std::vector<CoreMask> mine = {allowed_cores()};
  EXPECT_TRUE(each_has_a_core(mine));
}

TEST(AllowedCores, AreWrittenAsTheKernelWritesThem) {
  EXPECT_EQ(format_cores(cores({0, 1, 2, 3, 8})), "0-3,8");
  EXPECT_EQ(format_cores(cores({63, 64, 4095})), "63-64,4095");
  EXPECT_EQ(format_cores(CoreMask{}), "");
}

TEST(EachHasACore, Cases) {
  struct Case {
    std::vector<CoreMask> processes;
    bool expected;
  };
  const std::vector<Case> cases = {
      {{}, true},
      {{cores({0, 1}), cores({0, 1})}, true},
      {{cores({0, 1}), cores({0, 1}), cores({0, 1})}, false},
      {{cores({0}), cores({1})}, true},
      {{cores({0}), cores({0}), cores({1, 2, 3})}, false},    // three cores, two on one
      {{cores({0, 1, 2}), cores({0, 1}), cores({0})}, true},  // the first has to move
      {{cores({0, 4000}), cores({0, 4000})}, true},           // high numbers
      {{CoreMask{}}, false},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(each_has_a_core(cases[i].processes), cases[i].expected) << "case " << i;
  }
}

}  // namespace
}  // namespace collbench
