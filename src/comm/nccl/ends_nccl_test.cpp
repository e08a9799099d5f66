// SPDX-License-Identifier: Apache-2.0
// What the plugin says and does when something is not there, breaks, or is aborted. The stand-ins
// for NVIDIA's libraries break what is asked of them, by variables that a process reads once.
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <string_view>

#include "base/errors.h"
#include "comm/nccl/nccl_test_data.h"
#include "comm/nccl/nccl_test_ranks.h"

namespace collbench {
namespace {

using namespace std::chrono_literals;

// Loads nothing by itself, so that each test's process reads its own variables.
class NcclEnds : public NcclFakesTest {};

void expect_text(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

// What the body throws as a SystemError, or "nothing".
template <class Body>
std::string thrown_by(const Body& body) {
  try {
    body();
  } catch (const SystemError& error) {
    return error.what();
  }
  return "nothing";
}

void expect_no_plugin(const Environment& environment, const char* reason) {
  expect_with(environment, [reason] {
    EXPECT_EQ(nccl_plugin().make_process, nullptr);
    expect_text(nccl_plugin().reason, reason);
  });
}

TEST_F(NcclEnds, WithoutADriverThereIsNoBackend) {
  expect_no_plugin({{"FAKE_CUDA_NONE", "35"}}, ": no CUDA driver, or one too old for CUDA 13.0");
}

TEST_F(NcclEnds, WithTheToolkitsStubThereIsNoBackend) {
  expect_no_plugin({{"FAKE_CUDA_NONE", "34"}}, "is the toolkit's stub, which is for linking only");
}

TEST_F(NcclEnds, WithoutADeviceThereIsNoBackend) {
  expect_no_plugin({{"FAKE_CUDA_NONE", "100"}}, ": no CUDA device: ");
}

TEST_F(NcclEnds, AnotherFailureOfCudaIsNamed) {
  expect_no_plugin({{"FAKE_CUDA_NONE", "999"}}, "cudaGetDeviceCount failed with cudaErrorUnknown");
}

TEST_F(NcclEnds, AnOldNcclIsRefused) {
  expect_no_plugin({{"FAKE_NCCL_VERSION", "21805"}},
                   "the NCCL that was found is 2.18.5, and 2.19.0 is the oldest that will do");
}

TEST_F(NcclEnds, TooFewDevicesAreTheSameErrorOnEveryRank) {
  expect_with({{"FAKE_CUDA_DEVICES", "2"}}, [] {
    const std::unique_ptr<BackendProcess> process = nccl_plugin().make_process();
    std::atomic<int> refused{0};
    on_seats(*process, 3, [&](const BackendSeat& seat) {
      try {
        process->make_backend(seat);
        ADD_FAILURE() << "made a backend";
      } catch (const CommonSystemError& error) {
        expect_text(error.what(), "ranks 0 and 2 on ");
        expect_text(error.what(), "there are 3 ranks on this host, and a process sees 2 GPUs");
        ++refused;
      }
    });
    EXPECT_EQ(refused, 3);
  });
}

constexpr Count kCount = 5000;

// Runs one all_reduce on each of two ranks with these faults: result(rank, what it throws).
template <class Result>
void all_reduce_with(const char* faults, const Result& result) {
  expect_with({{"FAKE_NCCL_FAULTS", faults}}, [&] {
    on_ranks(2, [&](NcclRank& r) {
      DeviceNumbers numbers(*r.device, *r.stream, DataType::int32, kCount);
      numbers.fill(0, kCount, moved_pattern(DataType::int32, 0), 0);
      const std::string text = thrown_by([&] {
        r.run(all_reduce({numbers.at(0), numbers.at(0)}, kCount, DataType::int32, ReduceOp::max));
      });
      result(r, numbers, text);
    });
  });
}

TEST_F(NcclEnds, ACallThatIsRefusedIsNamed) {
  all_reduce_with("AllReduce=err:3", [](NcclRank&, DeviceNumbers&, const std::string& text) {
    expect_text(text, "ncclAllReduce failed with ncclInternalError (3): ");
  });
}

TEST_F(NcclEnds, AnAsynchronousErrorEndsTheWait) {
  all_reduce_with("AllReduce=async:6", [](NcclRank& r, DeviceNumbers&, const std::string& text) {
    expect_text(text, "ncclRemoteError (6): ");
    const std::optional<std::string> error = r.comm->async_error();
    ASSERT_TRUE(error.has_value());
    expect_text(*error, "ncclRemoteError (6): ");
    r.control.barrier();
    r.process.abort();  // as the end of a run does: nothing waits for the other rank then
  });
}

TEST_F(NcclEnds, CorruptDataIsFound) {
  all_reduce_with(
      "AllReduce@1=corrupt", [](NcclRank& r, DeviceNumbers& numbers, const std::string& text) {
        EXPECT_EQ(text, "nothing");
        EXPECT_EQ(numbers.has(0, kCount, moved_pattern(DataType::int32, 0), 0), r.rank == 0);
      });
}

TEST_F(NcclEnds, AnAbortEndsWhatHangs) {
  expect_with({{"FAKE_NCCL_FAULTS", "AllReduce@1=hang"}}, [] {
    on_ranks(2, [](NcclRank& r) {
      DeviceNumbers numbers(*r.device, *r.stream, DataType::int32, kCount);
      std::optional<std::jthread> watchdog;
      if (r.rank == 0) {
        watchdog.emplace([&] {
          std::this_thread::sleep_for(50ms);
          r.process.abort();
          r.process.abort();
        });
      }
      const std::string text = thrown_by([&] {
        r.run(all_reduce({numbers.at(0), numbers.at(0)}, kCount, DataType::int32, ReduceOp::max));
      });
      EXPECT_EQ(text, "the communicators of this process were aborted");
      EXPECT_TRUE(r.comm->async_error().has_value());
      EXPECT_NE(thrown_by([&] { r.comm->split(0, 0); }), "nothing");
    });
  });
}

// Its operation waits for the other rank, and so would the end of a communicator, and of memory.
TEST_F(NcclEnds, ARankThatFailsLeavesWithoutWaiting) {
  expect_with({}, [] {
    std::promise<void> leaves;
    on_ranks(2, [left = leaves.get_future().share(), &leaves](NcclRank& r) {
      std::unique_ptr<Communicator> part = r.comm->split(0, 0);
      if (r.rank == 0) {
        const std::string text = thrown_by([&] {
          const std::unique_ptr<Communicator> own = std::move(part);
          DeviceNumbers numbers(*r.device, *r.stream, DataType::int32, kCount);
          own->enqueue(
              all_reduce({numbers.at(0), numbers.at(0)}, kCount, DataType::int32, ReduceOp::max),
              *r.stream);
          throw SystemError("it fails");
        });
        EXPECT_EQ(text, "it fails");
        leaves.set_value();
      } else {
        EXPECT_EQ(left.wait_for(10s), std::future_status::ready);
        r.process.abort();
      }
      r.control.barrier();
    });
  });
}

TEST_F(NcclEnds, AnAbortEndsTheStartOfCommunicators) {
  expect_with({{"FAKE_NCCL_FAULTS", "CommInitRank@1=hang"}}, [] {
    const std::unique_ptr<BackendProcess> process = nccl_plugin().make_process();
    const std::jthread watchdog([&] {
      std::this_thread::sleep_for(100ms);
      process->abort();
    });
    on_seats(*process, 2, [&](const BackendSeat& seat) {
      const std::unique_ptr<Backend> backend = process->make_backend(seat);
      const std::unique_ptr<Device> device = backend->make_device({.wait = WaitPolicy::yield});
      EXPECT_EQ(thrown_by([&] { backend->make_communicator(*device); }),
                "the communicators of this process were aborted");
    });
  });
}

TEST_F(NcclEnds, NcclNeedsToBeNewToReduceNumbersOf8Bits) {
  expect_with({{"FAKE_NCCL_VERSION", "22300"}}, [] {
    on_ranks(2, [](NcclRank& r) {
      const Buffers none{nullptr, nullptr};
      const auto why_not = [&](const Call& call) { return r.comm->handling_of(call).why_not; };
      EXPECT_EQ(why_not(all_reduce(none, 1, DataType::f8e5m2, ReduceOp::sum)),
                "NCCL 2.23.0 does not reduce f8e5m2, which it does from 2.24.0 on");
      EXPECT_EQ(why_not(all_reduce(none, 1, DataType::half, ReduceOp::sum)), "");
      EXPECT_EQ(why_not(all_gather(none, 1, DataType::f8e5m2)), "");
    });
  });
}

// 1 MiB at 100 GB/s, and 10 us: the stand-in's model, to the float's last digits.
TEST_F(NcclEnds, UnderVirtualTimeClocksShowTheModel) {
  expect_with({{"FAKE_CUDA_VTIME", "1"}}, [] {
    on_ranks(2, [](NcclRank& r) {
      constexpr Count kBytes = 1 << 20;
      constexpr double kModel_s = 10e-6 + kBytes / 100e9;
      DeviceNumbers numbers(*r.device, *r.stream, DataType::int8, kBytes);
      r.stream->synchronize();
      const std::unique_ptr<Event> start = r.device->make_event();
      const std::unique_ptr<Event> end = r.device->make_event();
      const double start_s = r.device->now_s();
      r.device->record(*start, *r.stream);
      r.comm->enqueue(
          all_reduce({numbers.at(0), numbers.at(0)}, kBytes, DataType::int8, ReduceOp::max),
          *r.stream);
      r.device->record(*end, *r.stream);
      r.stream->synchronize();
      EXPECT_NEAR(r.device->now_s() - start_s, kModel_s, 1e-12);
      EXPECT_NEAR(end->time_s() - start->time_s(), kModel_s, 1e-10);
    });
  });
}

// The base that events are timed from changes after half a second.
TEST_F(NcclEnds, TimesGoOnWhereTheirBaseChanges) {
  expect_with({{"FAKE_CUDA_VTIME", "1"}}, [] {
    on_ranks(1, [](NcclRank& r) {
      constexpr double kBusy_s = 0.6;
      std::vector<std::unique_ptr<Event>> events;
      for (int i = 0; i < 4; ++i) {
        events.push_back(r.device->make_event());
        r.device->record(*events.back(), *r.stream);
        r.device->kernels().busy(kBusy_s, *r.stream);
        r.stream->synchronize();
      }
      for (const std::size_t i : {1, 2, 3}) {
        EXPECT_NEAR(events[i]->time_s() - events[i - 1]->time_s(), kBusy_s, 1e-5) << i;
      }
    });
  });
}

TEST_F(NcclEnds, TheClockOfTheDeviceAndWhatHoldsItBackAreTold) {
  expect_with({{"FAKE_NVML_SM_MHZ", "1234"}, {"FAKE_NVML_REASONS", "0x24"}}, [] {
    on_ranks(2, [](NcclRank& r) {
      EXPECT_EQ(r.device->state(), (DeviceState{1234, {"sw_power_cap", "sw_thermal_slowdown"}}));
    });
  });
}

}  // namespace
}  // namespace collbench
