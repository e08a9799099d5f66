// SPDX-License-Identifier: Apache-2.0
#include "base/host.h"

#include <gtest/gtest.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

namespace collbench {
namespace {

namespace fs = std::filesystem;

TEST(Host, Name) {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  EXPECT_EQ(host_name(), name);
}

TEST(Host, CpuModelIsTheFirstNameOrTheArchitecture) {
  std::string root = fs::temp_directory_path() / "host_test.XXXXXX";
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  utsname system{};
  uname(&system);
  EXPECT_EQ(cpu_model(root), system.machine);
  fs::create_directory(fs::path(root) / "proc");
  std::ofstream(fs::path(root) / "proc/cpuinfo")
      << "processor\t: 0\nmodel name\t: Abacus 3: fast\nmodel name\t: Other\n";
  EXPECT_EQ(cpu_model(root), "Abacus 3: fast");
  fs::remove_all(root);
}

}  // namespace
}  // namespace collbench
