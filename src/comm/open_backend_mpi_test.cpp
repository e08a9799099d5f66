// SPDX-License-Identifier: Apache-2.0
// The choice of a backend over real ranks. The test binary has no plugin beside it.
#include "comm/open_backend.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "comm/mpi/mpi_test_session.h"
#include "comm/plugin.h"

namespace collbench {
namespace {

bool plugin_is_there() {
  for (const auto& path : plugin_paths(program_path(), "nccl")) {
    if (std::filesystem::exists(path)) return true;
  }
  return false;
}

TEST(OpenBackend, GivesMpiWhenAskedFor) {
  const OpenedBackend opened = open_backend(BackendChoice::mpi, "", test_session());
  EXPECT_FALSE(opened.nccl);
  EXPECT_EQ(opened.note, "backend mpi: asked for");
}

TEST(OpenBackend, GivesMpiWithoutAPluginAndSaysWhy) {
  if (plugin_is_there()) GTEST_SKIP() << "there is a plugin";
  const OpenedBackend opened = open_backend(BackendChoice::automatic, "", test_session());
  EXPECT_FALSE(opened.nccl);
  EXPECT_EQ(opened.note,
            "backend mpi: nccl is not available: no libcollbench_nccl.so beside the program or in "
            "../lib");
}

TEST(OpenBackend, RefusesNcclWithoutAPlugin) {
  if (plugin_is_there()) GTEST_SKIP() << "there is a plugin";
  EXPECT_THROW(open_backend(BackendChoice::nccl, "", test_session()), CommonSystemError);
}

}  // namespace
}  // namespace collbench
