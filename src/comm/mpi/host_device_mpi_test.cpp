// SPDX-License-Identifier: Apache-2.0
// The host as a device: its facts, memory, kernels and events, and the wait policy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "base/errors.h"
#include "comm/mpi/host_test_rank.h"

namespace collbench {
namespace {

Pattern pattern_of_bytes(DataType type, unsigned factor) {
  Pattern pattern;
  pattern.type = type;
  for (std::size_t i = 0; i < pattern.values.size(); ++i) {
    pattern.values[i] = static_cast<std::byte>(i * factor + i / 8);
  }
  return pattern;
}

class HostDeviceTest : public ::testing::TestWithParam<TestMode> {
 protected:
  TestRank r_{GetParam().use};
  Device& device_ = *r_.device;
  Stream& stream_ = *r_.stream;
};

TEST_P(HostDeviceTest, Facts) {
  const DeviceFacts facts = device_.facts();
  EXPECT_FALSE(facts.model.empty());
  EXPECT_EQ(facts.bus_id, "cpu");
  EXPECT_EQ(facts.index, test_session().local_rank());
}

TEST_P(HostDeviceTest, MemoryIsAlignedAndItsOwn) {
  const auto one = device_.allocate(10000, MemoryKind::device);
  const auto two = device_.allocate(1, MemoryKind::pinned);
  const auto none = device_.allocate(0, MemoryKind::host);
  EXPECT_EQ(one->bytes(), 10000U);
  EXPECT_EQ(none->bytes(), 0U);
  for (Memory* memory : {one.get(), two.get(), none.get()}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->data()) % 4096, 0U);
  }
  std::fill_n(one->data(), 10000, std::byte{7});
  EXPECT_EQ(two->data()[0], std::byte{0});
}

TEST_P(HostDeviceTest, MemoryThatIsNotThereIsRefused) {
  const Bytes available = device_.available(MemoryKind::device);
  EXPECT_GT(available, Bytes{1} << 20);
  EXPECT_THROW(device_.allocate(Bytes{1} << 60, MemoryKind::device), SystemError);
}

TEST_P(HostDeviceTest, FillZeroAndCheckKeepTheOrderOfTheStream) {
  constexpr Count kCount = 300001;  // several slices
  constexpr Count kFirst = 12345;
  for (const auto& type : kDataTypes) {
    const Pattern pattern = pattern_of_bytes(type.type, 7);
    const Pattern other = pattern_of_bytes(type.type, 11);
    const auto memory = device_.allocate((kCount + 1) * type.bytes, MemoryKind::device);
    std::byte* data = memory->data();
    device_.kernels().fill(data, kCount + 1, other, 0, stream_);
    device_.kernels().fill(data, kCount, pattern, kFirst, stream_);
    EXPECT_EQ(device_.kernels().check(data, kCount, pattern, kFirst, stream_).wrong, 0U);
    EXPECT_EQ(device_.kernels().check(data + kCount * type.bytes, 1, other, kCount, stream_).wrong,
              0U);
    device_.kernels().zero(data + 200000 * type.bytes, 2 * type.bytes, stream_);
    const auto result = device_.kernels().check(data, kCount, pattern, kFirst, stream_);
    EXPECT_GE(result.wrong, 1U);
    EXPECT_LE(result.wrong, 2U);
    EXPECT_GE(result.first_wrong, 200000U);
    EXPECT_LE(result.first_wrong, 200001U);
  }
}

TEST_P(HostDeviceTest, ZeroAndFillOfNothing) {
  std::byte guard{9};
  device_.kernels().zero(&guard, 0, stream_);
  device_.kernels().fill(&guard, 0, pattern_of_bytes(DataType::half, 3), 0, stream_);
  stream_.synchronize();
  EXPECT_EQ(guard, std::byte{9});
}

TEST_P(HostDeviceTest, CopyTakesWhatTheStreamHasWrittenBefore) {
  constexpr Count kCount = 300001;  // several slices
  const Pattern pattern = pattern_of_bytes(DataType::half, 7);
  const Pattern other = pattern_of_bytes(DataType::half, 11);
  const auto from = device_.allocate(kCount * 2, MemoryKind::device);
  const auto to = device_.allocate(kCount * 2 + 2, MemoryKind::host);
  Kernels& kernels = device_.kernels();
  kernels.fill(to->data(), kCount + 1, other, 0, stream_);
  kernels.fill(from->data(), kCount, pattern, 5, stream_);
  kernels.copy(to->data(), from->data(), kCount * 2, stream_);
  kernels.fill(from->data(), kCount, other, 0, stream_);
  kernels.copy(to->data(), from->data(), 0, stream_);
  EXPECT_EQ(kernels.check(to->data(), kCount, pattern, 5, stream_).wrong, 0U);
  EXPECT_EQ(kernels.check(to->data() + kCount * 2, 1, other, kCount, stream_).wrong, 0U);
}

TEST_P(HostDeviceTest, LaterChecksSeeWhatTheirTurnInTheStreamSees) {
  constexpr Count kCount = 300001;  // several slices
  constexpr Count kFirst = 12345;
  constexpr Bytes kEach = sizeof(float);
  const Pattern pattern = pattern_of_bytes(DataType::float32, 7);
  const Pattern other = pattern_of_bytes(DataType::float32, 11);
  const auto memory = device_.allocate(kCount * kEach, MemoryKind::device);
  std::byte* data = memory->data();
  Kernels& kernels = device_.kernels();
  kernels.fill(data, kCount, pattern, kFirst, stream_);
  kernels.check_later(data, kCount, pattern, kFirst, stream_);
  kernels.check_later(data, 0, other, 0, stream_);
  kernels.zero(data + 200000 * kEach, kEach, stream_);
  kernels.zero(data + 290000 * kEach, kEach, stream_);
  kernels.check_later(data, kCount, pattern, kFirst, stream_);
  kernels.fill(data, kCount, other, 0, stream_);
  kernels.check_later(data + 9 * kEach, kCount - 9, other, 9, stream_);
  stream_.synchronize();

  const std::vector<CheckResult> found = kernels.later_checks();
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].wrong, 0U);
  EXPECT_EQ(found[1].wrong, 0U);
  EXPECT_EQ(found[2].wrong, 2U);
  EXPECT_EQ(found[2].first_wrong, 200000U);
  EXPECT_EQ(found[2].found, decltype(found[2].found){});
  const std::size_t value = value_index(kFirst + 200000) * kEach;
  EXPECT_TRUE(std::equal(found[2].expected.begin(), found[2].expected.begin() + kEach,
                         pattern.values.begin() + static_cast<std::ptrdiff_t>(value)));
  EXPECT_EQ(found[3].wrong, 0U);
  EXPECT_TRUE(kernels.later_checks().empty());
}

TEST(HostKernels, LaterChecksThatAreNotDoneAreNoOutcome) {
  TestRank r({false, WaitPolicy::yield});
  std::vector<std::byte> data(1 << 22);
  r.device->kernels().check_later(data.data(), data.size(), Pattern{.type = DataType::uint8}, 0,
                                  *r.stream);
  EXPECT_THROW(r.device->kernels().later_checks(), std::logic_error);
  r.stream->synchronize();
  EXPECT_EQ(r.device->kernels().later_checks().size(), 1U);
}

TEST_P(HostDeviceTest, ProductsKeepTheOrderOfTheStream) {
  const std::vector<GemmShape> shapes = {{300, 200, 1000}, {1, 1, 1}, {700, 300, 10}, {0, 3, 3}};
  const std::unique_ptr<Gemms> gemms = device_.make_gemms(shapes);
  EXPECT_EQ(gemms->library().substr(0, 9), "OpenBLAS ");
  const auto before = device_.make_event();
  const auto after = device_.make_event();
  device_.record(*before, stream_);
  for (const GemmShape& shape : shapes) gemms->multiply(shape, stream_);
  device_.record(*after, stream_);
  stream_.synchronize();
  EXPECT_TRUE(after->query());
  EXPECT_GT(after->time_s(), before->time_s());
  EXPECT_THROW(gemms->multiply({301, 200, 1000}, stream_), std::logic_error);
}

TEST(HostGemms, WorkInAStreamOutlivesTheirMaker) {
  TestRank r({false, WaitPolicy::yield});
  constexpr GemmShape kShape{800, 800, 800};
  r.device->make_gemms({&kShape, 1})->multiply(kShape, *r.stream);
  r.stream->synchronize();
}

TEST_P(HostDeviceTest, EventsSayHowLongTheStreamWasBusy) {
  const auto before = device_.make_event();
  const auto after = device_.make_event();
  device_.record(*before, stream_);
  device_.kernels().busy(2e-3, stream_);
  device_.record(*after, stream_);
  stream_.synchronize();
  EXPECT_TRUE(before->query());
  EXPECT_TRUE(after->query());
  EXPECT_GE(after->time_s() - before->time_s(), 2e-3);
  EXPECT_LE(after->time_s(), device_.now_s());
}

INSTANTIATE_TEST_SUITE_P(Modes, HostDeviceTest, ::testing::ValuesIn(test_modes()),
                         [](const auto& mode) { return mode.param.name; });

TEST(HostBackend, NamesItself) {
  const auto backend = make_host_backend(test_session());
  EXPECT_EQ(backend->name(), "mpi");
}

TEST(HostBackend, TakesThePolicyThatIsAskedFor) {
  const auto backend = make_host_backend(test_session());
  for (const WaitPolicy policy : {WaitPolicy::spin, WaitPolicy::yield, WaitPolicy::sleep}) {
    const auto device = backend->make_device({true, policy});
    EXPECT_EQ(backend->wait_policy(), policy);
  }
}

TEST(HostBackend, ChoosesOnePolicyForAllRanks) {
  const auto backend = make_host_backend(test_session());
  const auto device = backend->make_device({true, WaitPolicy::automatic});
  const auto policy = static_cast<int>(backend->wait_policy());
  for (const int others : test_session().control_plane().all_gather(policy)) {
    EXPECT_EQ(policy, others);
  }
  EXPECT_NE(backend->wait_policy(), WaitPolicy::automatic);
}

TEST(HostBackend, SleepingRanksCommunicateToo) {
  TestRank r({false, WaitPolicy::sleep});
  float one = 1;
  float sum = 0;
  r.comm->enqueue(all_reduce({&one, &sum}, 1, DataType::float32, ReduceOp::sum), *r.stream);
  r.stream->synchronize();
  EXPECT_EQ(sum, static_cast<float>(r.size));
}

}  // namespace
}  // namespace collbench
