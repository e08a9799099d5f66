// SPDX-License-Identifier: Apache-2.0
// The kernels restate the rule of comm/pattern.h: what they write and find is what the host does.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <stdexcept>

#include "base/errors.h"
#include "comm/nccl/nccl_test_data.h"
#include "comm/nccl/nccl_test_ranks.h"

namespace collbench {
namespace {

class NcclKernels : public NcclTest {};

// One for each size of an element.
constexpr std::array kTypes = {DataType::uint8, DataType::half, DataType::float32,
                               DataType::float64};

// Lengths and starts around vectors of 16 bytes, tiles of 256 elements, and none of them.
struct Part {
  Count offset;  // elements from the aligned start of memory
  Count count;
  Count first;
};
constexpr std::array<Part, 10> kParts = {{
    {0, 0, 0},
    {0, 1, 255},
    {0, 256, 0},
    {0, 5000, 0},
    {1, 15, 250},
    {3, 17, 1023},
    {5, 1000, 77},
    {7, 4099, 256},
    {2, 3, 1},
    {1, 70000, (1ULL << 40) + 13},
}};

std::string describe(DataType type, const Part& part) {
  return fmt::format("{} elements of {} at {}, from {}", part.count, name_of(type), part.offset,
                     part.first);
}

// A rank whose device checks on the host, beside one whose device does it itself.
struct TwoCheckers {
  explicit TwoCheckers(NcclRank& rank)
      : r(rank), host_checker(r.backend->make_device({.check_on_host = true})) {}

  CheckResult by_device(const void* data, const Part& part, const Pattern& pattern) {
    return r.device->kernels().check(data, part.count, pattern, part.first, *r.stream);
  }
  CheckResult by_host(const void* data, const Part& part, const Pattern& pattern) {
    return host_checker->kernels().check(data, part.count, pattern, part.first, *r.stream);
  }

  NcclRank& r;
  std::unique_ptr<Device> host_checker;
};

template <class Body>
void for_each_part(const Body& body) {
  on_ranks(1, [&](NcclRank& r) {
    TwoCheckers checkers(r);
    for (const DataType type : kTypes) {
      for (const Part& part : kParts) body(checkers, type, part);
    }
  });
}

TEST_F(NcclKernels, FillWritesWhatTheHostWouldWriteAndNoMore) {
  for_each_part([](TwoCheckers& c, DataType type, const Part& part) {
    const Pattern pattern = moved_pattern(type, 1);
    const Count end = part.offset + part.count;
    DeviceNumbers numbers(*c.r.device, *c.r.stream, type, end);
    numbers.fill(part.offset, part.count, pattern, part.first);
    EXPECT_EQ(c.by_host(numbers.at(part.offset), part, pattern).wrong, 0U) << describe(type, part);
    const Pattern stale = stale_pattern(type);
    EXPECT_EQ(c.by_host(numbers.at(0), {0, part.offset, 0}, stale).wrong, 0U)
        << describe(type, part);
    EXPECT_EQ(c.by_host(numbers.at(end), {0, 16, end}, stale).wrong, 0U) << describe(type, part);
  });
}

void expect_same(const CheckResult& device, const CheckResult& host, const std::string& what) {
  EXPECT_EQ(device.wrong, host.wrong) << what;
  EXPECT_EQ(device.first_wrong, host.first_wrong) << what;
  EXPECT_EQ(device.expected, host.expected) << what;
  EXPECT_EQ(device.found, host.found) << what;
}

TEST_F(NcclKernels, CheckFindsWhatTheHostFinds) {
  for_each_part([](TwoCheckers& c, DataType type, const Part& part) {
    const Pattern pattern = moved_pattern(type, 1);
    DeviceNumbers numbers(*c.r.device, *c.r.stream, type, part.offset + part.count);
    numbers.fill(part.offset, part.count, pattern, part.first);
    std::byte* const data = numbers.at(part.offset);
    expect_same(c.by_device(data, part, pattern), c.by_host(data, part, pattern),
                describe(type, part));
    for (const Count at : {part.count - 1, part.count / 2, part.count / 3, Count{0}}) {
      if (part.count == 0) continue;
      // Some of these are zero already; what matters is that both find the same.
      c.r.device->kernels().zero(data + at * size_of(type), size_of(type), *c.r.stream);
      const CheckResult host = c.by_host(data, part, pattern);
      expect_same(c.by_device(data, part, pattern), host, describe(type, part));
      if (part.count > 100) {
        EXPECT_GT(host.wrong, 0U) << describe(type, part);
      }
    }
  });
}

TEST_F(NcclKernels, CheckOnTheHostGoesSliceBySlice) {
  on_ranks(1, [](NcclRank& r) {
    TwoCheckers checkers(r);
    constexpr Count kCount = (20ULL << 20) / 4;  // 20 MiB
    const Pattern pattern = moved_pattern(DataType::float32, 2);
    DeviceNumbers numbers(*r.device, *r.stream, DataType::float32, kCount);
    numbers.fill(0, kCount, pattern, 9);
    const Part all{0, kCount, 9};
    EXPECT_EQ(checkers.by_host(numbers.at(0), all, pattern).wrong, 0U);
    r.device->kernels().zero(numbers.at(kCount - 2), 8, *r.stream);
    r.device->kernels().zero(numbers.at(kCount / 2), 4, *r.stream);
    const CheckResult host = checkers.by_host(numbers.at(0), all, pattern);
    EXPECT_EQ(host.wrong, 3U);
    EXPECT_EQ(host.first_wrong, kCount / 2);
    expect_same(checkers.by_device(numbers.at(0), all, pattern), host, "slices");
  });
}

// The check waits for what is in flight, and a table of one stream is not another's.
TEST_F(NcclKernels, StreamsFillSideBySide) {
  on_ranks(1, [](NcclRank& r) {
    const std::unique_ptr<Stream> other = r.device->make_stream();
    constexpr Count kCount = 100000;
    DeviceNumbers here(*r.device, *r.stream, DataType::int32, kCount);
    DeviceNumbers there(*r.device, *other, DataType::int32, kCount);
    for (int round = 0; round < 10; ++round) {
      here.fill(0, kCount, moved_pattern(DataType::int32, round), 0);
      there.fill(0, kCount, moved_pattern(DataType::int32, round + 1), 0);
      EXPECT_TRUE(here.has(0, kCount, moved_pattern(DataType::int32, round), 0));
      EXPECT_TRUE(there.has(0, kCount, moved_pattern(DataType::int32, round + 1), 0));
    }
  });
}

TEST_F(NcclKernels, CopyTakesWhatTheStreamHasWrittenBefore) {
  on_ranks(1, [](NcclRank& r) {
    constexpr Count kCount = 100000;
    const Pattern pattern = moved_pattern(DataType::half, 1);
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::pinned, MemoryKind::host}) {
      const auto passed = r.device->allocate(kCount * 2, kind);
      DeviceNumbers from(*r.device, *r.stream, DataType::half, kCount);
      DeviceNumbers to(*r.device, *r.stream, DataType::half, kCount);
      from.fill(0, kCount, pattern, 3);
      r.device->kernels().copy(passed->data(), from.at(0), kCount * 2, *r.stream);
      from.fill(0, kCount, stale_pattern(DataType::half), 0);
      r.device->kernels().copy(to.at(0), passed->data(), kCount * 2, *r.stream);
      r.device->kernels().copy(to.at(0), from.at(0), 0, *r.stream);
      EXPECT_TRUE(to.has(0, kCount, pattern, 3));
      EXPECT_TRUE(to.ends_untouched());
    }
  });
}

// The host waits for nothing until both streams are drained.
TEST_F(NcclKernels, LaterChecksSeeWhatTheirTurnInTheStreamSees) {
  on_ranks(1, [](NcclRank& r) {
    const std::unique_ptr<Stream> other = r.device->make_stream();
    Kernels& kernels = r.device->kernels();
    for (const DataType type : kTypes) {
      constexpr Count kCount = 70000;
      const Pattern pattern = moved_pattern(type, 1);
      const Pattern next = moved_pattern(type, 2);
      DeviceNumbers here(*r.device, *r.stream, type, kCount);
      DeviceNumbers there(*r.device, *other, type, kCount);
      there.fill(0, kCount, pattern, 7);
      for (int round = 0; round < 5; ++round) {
        here.fill(0, kCount, pattern, 9);
        kernels.check_later(here.at(0), kCount, pattern, 9, *r.stream);
        kernels.check_later(there.at(0), kCount, next, 7, *other);
        kernels.check_later(here.at(0), 0, next, 0, *r.stream);
        here.fill(50001, 1, next, 9 + 50001);
        kernels.check_later(here.at(1), kCount - 1, pattern, 10, *r.stream);
      }
      here.fill(0, kCount, next, 0);
      r.stream->synchronize();
      other->synchronize();

      const std::vector<CheckResult> found = kernels.later_checks();
      ASSERT_EQ(found.size(), 20U);
      for (std::size_t i = 0; i < found.size(); i += 4) {
        EXPECT_EQ(found[i].wrong, 0U);
        EXPECT_GT(found[i + 1].wrong, kCount / 2);
        EXPECT_EQ(found[i + 2].wrong, 0U);
        EXPECT_EQ(found[i + 3].wrong, 1U);
        EXPECT_EQ(found[i + 3].first_wrong, 50000U);
        const std::size_t value = value_index(9 + 50001) * size_of(type);
        EXPECT_EQ(std::memcmp(found[i + 3].expected.data(), &pattern.values[value], size_of(type)),
                  0);
        EXPECT_EQ(std::memcmp(found[i + 3].found.data(), &next.values[value], size_of(type)), 0);
      }
      EXPECT_TRUE(kernels.later_checks().empty());
    }
  });
}

TEST_F(NcclKernels, LaterChecksThatAreNotDoneAreNoOutcome) {
  on_ranks(1, [](NcclRank& r) {
    DeviceNumbers numbers(*r.device, *r.stream, DataType::half, 10);
    Kernels& kernels = r.device->kernels();
    kernels.busy(50e-3, *r.stream);
    kernels.check_later(numbers.at(0), 10, moved_pattern(DataType::half, 1), 0, *r.stream);
    EXPECT_THROW(kernels.later_checks(), std::logic_error);
    r.stream->synchronize();
    EXPECT_EQ(kernels.later_checks().size(), 1U);
  });
}

TEST_F(NcclKernels, MoreWrongChecksThanThereIsRoomForAreAnError) {
  on_ranks(1, [](NcclRank& r) {
    DeviceNumbers numbers(*r.device, *r.stream, DataType::int32, 1);
    Kernels& kernels = r.device->kernels();
    const Pattern pattern = moved_pattern(DataType::int32, 1);
    for (int i = 0; i < 16385; ++i) kernels.check_later(numbers.at(0), 1, pattern, 0, *r.stream);
    r.stream->synchronize();
    EXPECT_THROW(kernels.later_checks(), SystemError);
  });
}

}  // namespace
}  // namespace collbench
