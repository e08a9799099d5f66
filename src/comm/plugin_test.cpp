// SPDX-License-Identifier: Apache-2.0
// Loading plugins that the test compiles: the right one, and all that may lie in its place.
#include "comm/plugin.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "base/errors.h"

namespace collbench {
namespace {

namespace fs = std::filesystem;

#ifdef __clang__
constexpr const char* kCompiler = "clang++";
#else
constexpr const char* kCompiler = "g++";
#endif

// Of build "fake 1"; makes backends that say where they sit, but none for local rank 7.
constexpr const char* kFakePlugin = R"(
#include "base/errors.h"
#include "comm/plugin_interface.h"
using namespace collbench;
struct FakeBackend final : Backend {
  explicit FakeBackend(const BackendSeat& seat)
      : text("rank " + std::to_string(seat.control.rank()) + ", local rank " +
             std::to_string(seat.local_rank) + " of " + std::to_string(seat.local_size)) {}
  std::string_view name() const override { return text; }
  std::unique_ptr<Device> make_device(const DeviceUse&) override { return nullptr; }
  std::unique_ptr<Communicator> make_communicator(Device&) override { return nullptr; }
  WaitPolicy wait_policy() const override { return WaitPolicy::yield; }
  bool oversubscribed() const override { return false; }
  std::string text;
};
struct FakeProcess final : BackendProcess {
  std::unique_ptr<Backend> make_backend(const BackendSeat& seat) override {
    if (seat.local_rank == 7) throw SystemError("fakeInit failed with fakeNoDevice");
    return std::make_unique<FakeBackend>(seat);
  }
  void abort() noexcept override {}
};
std::unique_ptr<BackendProcess> make() { return std::make_unique<FakeProcess>(); }
extern "C" int collbench_open_backend(const char* build_id, PluginReply* reply) {
  if (refuse_other_build(build_id, "fake 1", *reply)) return 1;
  reply->make_process = make;
  return 0;
}
)";

// A folder that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "plugin_test.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// The folder of the sources: above the program, or above where the test runs.
fs::path source_folder() {
  for (const fs::path& start : {fs::current_path(), program_path().parent_path()}) {
    for (fs::path folder = start; folder != folder.root_path(); folder = folder.parent_path()) {
      if (fs::exists(folder / "src/comm/plugin_interface.h")) return folder / "src";
    }
  }
  throw std::runtime_error("no folder src/comm above this program or the working folder");
}

void compile(const std::string& source, const fs::path& library) {
  const fs::path source_file = library.string() + ".cpp";
  std::ofstream(source_file) << source;
  const std::string command =
      fmt::format("{} -std=c++20 -shared -fPIC -I'{}' '{}' -o '{}'", kCompiler,
                  source_folder().string(), source_file.string(), library.string());
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
}

class SoloPlane final : public ControlPlane {
 public:
  int rank() const override { return 3; }
  int size() const override { return 4; }
  void barrier() override {}
  void all_gather_bytes(const void*, Bytes, void*) override {}
  void broadcast_bytes(void*, Bytes) override {}
};

// Laid out as an installation: bin/program, lib/libcollbench_fake.so.
class PluginTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    fs::create_directory(folder_->path() / "lib");
    compile(kFakePlugin, installed());
    compile("int nothing_of_interest;", without_entry());
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static fs::path installed() { return folder_->path() / "lib" / "libcollbench_fake.so"; }
  static fs::path without_entry() { return folder_->path() / "libwithout_entry.so"; }
  static fs::path program() { return folder_->path() / "bin" / "program"; }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(PluginTest, IsLookedForBesideTheProgramThenInLib) {
  const std::vector<fs::path> expected = {"/opt/x/bin/libcollbench_nccl.so",
                                          "/opt/x/lib/libcollbench_nccl.so"};
  EXPECT_EQ(plugin_paths("/opt/x/bin/all_reduce_perf", "nccl"), expected);
  EXPECT_TRUE(plugin_paths("", "nccl").empty());
  EXPECT_TRUE(fs::exists(program_path()));
}

TEST_F(PluginTest, OfThisBuildMakesBackends) {
  const Plugin plugin = load_plugin(plugin_paths(program(), "fake"), "fake 1");
  ASSERT_EQ(plugin.reason, "");
  EXPECT_EQ(plugin.path, installed());
  SoloPlane control;
  const std::unique_ptr<Backend> backend = plugin.make_process()->make_backend({control, 1, 2});
  EXPECT_EQ(backend->name(), "rank 3, local rank 1 of 2");
}

TEST_F(PluginTest, ItsExceptionsAreCaughtHere) {
  const Plugin plugin = load_plugin({installed()}, "fake 1");
  ASSERT_NE(plugin.make_process, nullptr);
  SoloPlane control;
  try {
    plugin.make_process()->make_backend({control, 7, 8});
    FAIL() << "made a backend";
  } catch (const SystemError& error) {
    EXPECT_STREQ(error.what(), "fakeInit failed with fakeNoDevice");
  }
}

TEST_F(PluginTest, OfAnotherBuildIsRefused) {
  const Plugin plugin = load_plugin({installed()}, "fake 2");
  EXPECT_EQ(plugin.make_process, nullptr);
  EXPECT_EQ(plugin.reason, installed().string() +
                               ": it is of build 'fake 1' and this program of build 'fake 2'; "
                               "build or install both together");
}

TEST_F(PluginTest, ThatIsMissingIsAReason) {
  const Plugin plugin = load_plugin(plugin_paths(program(), "nccl"), "fake 1");
  EXPECT_EQ(plugin.make_process, nullptr);
  EXPECT_EQ(plugin.path, "");
  EXPECT_EQ(plugin.reason, "no libcollbench_nccl.so beside the program or in ../lib");
}

TEST_F(PluginTest, WithoutTheEntryIsNoPlugin) {
  const Plugin plugin = load_plugin({without_entry()}, "fake 1");
  EXPECT_EQ(plugin.make_process, nullptr);
  EXPECT_EQ(plugin.reason,
            without_entry().string() + ": it is no plugin: it has no collbench_open_backend");
}

TEST_F(PluginTest, IsNotAskedWhereTheLibraryForItCannotBeLoaded) {
  const Plugin plugin = load_plugin({installed()}, "fake 1", "/nowhere/libnccl.so.2");
  EXPECT_EQ(plugin.make_process, nullptr);
  EXPECT_TRUE(plugin.reason.starts_with("--nccl-lib /nowhere/libnccl.so.2: ")) << plugin.reason;
}

TEST_F(PluginTest, IsNotAskedWhereAnotherLibraryWouldServeIt) {
  const Plugin plugin = load_plugin({installed()}, "fake 1", without_entry());
  EXPECT_EQ(plugin.make_process, nullptr);
  EXPECT_EQ(plugin.reason, "--nccl-lib " + without_entry().string() +
                               ": it is not what the plugin loads as NCCL; give a libnccl.so.2");
}

// A file that is there but wrong is named, not passed over for the next one.
TEST_F(PluginTest, ThatIsNoLibraryCannotBeLoaded) {
  const fs::path text = folder_->path() / "libcollbench_text.so";
  std::ofstream(text) << "not a library";
  const Plugin plugin = load_plugin({text, installed()}, "fake 1");
  EXPECT_EQ(plugin.make_process, nullptr);
  EXPECT_EQ(plugin.path, text);
  EXPECT_TRUE(plugin.reason.starts_with("it cannot be loaded: " + text.string() + ": "))
      << plugin.reason;
}

}  // namespace
}  // namespace collbench
