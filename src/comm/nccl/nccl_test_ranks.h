// SPDX-License-Identifier: Apache-2.0
// What tests of the plugin share: it is loaded as a program loads it, and its ranks are threads.
//
// They run on the stand-ins for NVIDIA's libraries (LD_LIBRARY_PATH=build/fakes), as tests/run.py
// sets it; where TEST_GPUS says how many GPUs there are, on these.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/version.h"
#include "comm/backend.h"
#include "comm/plugin.h"
#include "comm/rank_team.h"
#include "comm/test_one_process.h"

namespace collbench {

inline const Plugin& nccl_plugin() {
  static const Plugin plugin = load_plugin(plugin_paths(program_path(), "nccl"), build_id());
  return plugin;
}

/// A rank with one stream.
struct NcclRank {
  NcclRank(BackendProcess& its_process, const BackendSeat& seat, const DeviceUse& use)
      : process(its_process),
        control(seat.control),
        backend(process.make_backend(seat)),
        device(backend->make_device(use)),
        comm(backend->make_communicator(*device)),
        stream(device->make_stream()),
        rank(comm->rank()),
        size(comm->size()) {}

  void run(const Call& call) {
    comm->enqueue(call, *stream);
    stream->synchronize();
  }

  BackendProcess& process;
  ControlPlane& control;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Device> device;
  std::unique_ptr<Communicator> comm;
  std::unique_ptr<Stream> stream;
  int rank;
  int size;
};

/// Calls body(seat) on the thread of each rank of a process. What a rank throws is a failure of the
/// test, and aborts the process, lest the others wait for it.
inline void on_seats(BackendProcess& process, int ranks,
                     const std::function<void(const BackendSeat&)>& body) {
  OneProcess alone;
  RankTeam team(alone, ranks);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        body({team.control_plane(rank), rank, ranks});
      } catch (const std::exception& error) {
        ADD_FAILURE() << "rank " << rank << ": " << error.what();
        process.abort();
      }
    });
  }
}

/// So many ranks, or as many as there are GPUs (TEST_GPUS).
inline int up_to(int ranks) {
  const char* const gpus = std::getenv("TEST_GPUS");
  return gpus == nullptr ? ranks : std::min(ranks, std::atoi(gpus));
}

/// Calls body(NcclRank&) for each of so many ranks. Skips the test where there are fewer GPUs.
template <class Body>
void on_ranks(int ranks, const Body& body, const DeviceUse& use = {.wait = WaitPolicy::yield}) {
  if (up_to(ranks) < ranks) GTEST_SKIP() << ranks << " ranks, TEST_GPUS=" << up_to(ranks);
  const std::unique_ptr<BackendProcess> process = nccl_plugin().make_process();
  on_seats(*process, ranks, [&](const BackendSeat& seat) {
    NcclRank rank(*process, seat, use);
    body(rank);
  });
}

/// Skips where there is no GPU, and no stand-in for one either.
class NcclTest : public testing::Test {
 protected:
  void SetUp() override {
    if (nccl_plugin().make_process == nullptr) {
      GTEST_SKIP() << "requires gpus, real ones or tests/fakes: " << nccl_plugin().reason;
    }
  }
};

/// Of what only the stand-ins do. Leaves them alone, so that processes of their own may read other
/// variables.
class NcclFakesTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* folders = std::getenv("LD_LIBRARY_PATH");
    if (std::getenv("TEST_GPUS") != nullptr || folders == nullptr ||
        std::string_view(folders).find("fakes") == std::string_view::npos) {
      GTEST_SKIP() << "requires fakes: set LD_LIBRARY_PATH=build/fakes";
    }
  }
};

using Environment = std::vector<std::pair<const char*, const char*>>;

/// Calls the body in a new process with these variables, which libraries read once.
template <class Body>
[[noreturn]] void run_and_exit(const Environment& environment, const Body& body) {
  for (const auto& [name, value] : environment) setenv(name, value, 1);
  body();
  const testing::TestResult& result =
      *testing::UnitTest::GetInstance()->current_test_info()->result();
  for (int i = 0; i < result.total_part_count(); ++i) {
    const testing::TestPartResult& part = result.GetTestPartResult(i);
    if (part.failed()) std::fprintf(stderr, "%s\n", part.message());
  }
  std::fflush(nullptr);
  std::_Exit(testing::Test::HasFailure() ? 1 : 0);
}

template <class Body>
void expect_with(const Environment& environment, const Body& body) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_and_exit(environment, body), testing::ExitedWithCode(0), "");
}

}  // namespace collbench
