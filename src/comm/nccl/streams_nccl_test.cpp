// SPDX-License-Identifier: Apache-2.0
// Streams, events, graphs, groups of ranks, memory, and what a device says of itself.
#include <algorithm>

#include "base/errors.h"
#include "comm/nccl/nccl_test_data.h"
#include "comm/nccl/nccl_test_ranks.h"

namespace collbench {
namespace {

class NcclStreams : public NcclTest {};

constexpr DataType kType = DataType::int32;
constexpr Count kCount = 1000;

Pattern constant(int value) {
  return pattern_of(kType, [value](Count) { return static_cast<double>(value); });
}

Call sum(DeviceNumbers& numbers) {
  return all_reduce({numbers.at(0), numbers.at(0)}, kCount, kType, ReduceOp::sum);
}

TEST_F(NcclStreams, AnEventHoldsAnotherStreamUp) {
  on_ranks(up_to(2), [](NcclRank& r) {
    const std::unique_ptr<Stream> second = r.device->make_stream();
    const std::unique_ptr<Event> filled = r.device->make_event();
    EXPECT_FALSE(filled->query());
    r.device->wait(*second, *filled);  // never recorded: holds nothing up
    DeviceNumbers numbers(*r.device, *r.stream, kType, kCount);
    for (int round = 0; round < 20; ++round) {
      r.device->kernels().busy(200e-6, *r.stream);
      numbers.fill(0, kCount, constant(round), 0);
      r.device->record(*filled, *r.stream);
      r.device->wait(*second, *filled);
      r.comm->enqueue(sum(numbers), *second);
      second->synchronize();
      EXPECT_TRUE(filled->query());
      EXPECT_TRUE(numbers.has(0, kCount, constant(r.size * round), 0)) << round;
    }
  });
}

TEST_F(NcclStreams, EventsAreStampedInOrderAndRecordedAgain) {
  on_ranks(1, [](NcclRank& r) {
    EXPECT_TRUE(r.device->stamps_events());
    const std::unique_ptr<Event> start = r.device->make_event();
    const std::unique_ptr<Event> end = r.device->make_event();
    double last_s = 0;
    for (int round = 0; round < 3; ++round) {
      r.device->record(*start, *r.stream);
      r.device->kernels().busy(1e-3, *r.stream);
      r.device->record(*end, *r.stream);
      r.stream->synchronize();
      EXPECT_GE(start->time_s(), last_s);
      EXPECT_GE(end->time_s() - start->time_s(), 0.9e-3);
      last_s = end->time_s();
    }
  });
}

TEST_F(NcclStreams, AGraphReplaysItsCalls) {
  on_ranks(up_to(2), [](NcclRank& r) {
    ASSERT_NE(r.device->graphs(), nullptr);
    DeviceNumbers numbers(*r.device, *r.stream, kType, kCount);
    numbers.fill(0, kCount, constant(1), 0);
    r.run(sum(numbers));  // what NCCL does once is done outside of graphs
    const std::unique_ptr<Graph> graph = r.device->graphs()->capture(*r.stream, [&] {
      r.comm->enqueue(sum(numbers), *r.stream);
      r.comm->enqueue(sum(numbers), *r.stream);
    });
    EXPECT_TRUE(numbers.has(0, kCount, constant(r.size), 0)) << "recording is not doing";
    graph->launch(*r.stream);
    graph->launch(*r.stream);
    EXPECT_TRUE(numbers.has(0, kCount, constant(r.size == 2 ? 32 : 1), 0));
  });
}

TEST_F(NcclStreams, OtherRanksOfTheProcessMayAllocateWhileOneRecords) {
  on_ranks(2, [](NcclRank& r) {
    const auto while_the_other_works = [&] {
      r.control.barrier();
      r.control.barrier();
    };
    if (r.rank == 0) {
      r.device->graphs()->capture(*r.stream, while_the_other_works);
    } else {
      r.control.barrier();
      EXPECT_NO_THROW(r.device->allocate(1, MemoryKind::device));
      r.control.barrier();
    }
  });
}

TEST_F(NcclStreams, AGraphThatFailsToRecordLeavesTheStreamUsable) {
  on_ranks(1, [](NcclRank& r) {
    const auto fail = [] { throw SystemError("no"); };
    EXPECT_THROW(r.device->graphs()->capture(*r.stream, fail), SystemError);
    DeviceNumbers numbers(*r.device, *r.stream, kType, kCount);
    EXPECT_TRUE(numbers.is_stale(0, kCount));
  });
}

TEST_F(NcclStreams, SplitMakesGroupsInTheOrderOfTheirKeys) {
  on_ranks(4, [](NcclRank& r) {
    const std::unique_ptr<Communicator> part = r.comm->split(r.rank % 2, -r.rank);
    ASSERT_NE(part, nullptr);
    EXPECT_EQ(part->size(), 2);
    EXPECT_EQ(part->rank(), r.rank < 2 ? 1 : 0);
    DeviceNumbers numbers(*r.device, *r.stream, kType, kCount);
    numbers.fill(0, kCount, constant(1 + r.rank), 0);
    part->enqueue(sum(numbers), *r.stream);
    EXPECT_TRUE(numbers.has(0, kCount, constant(r.rank % 2 == 0 ? 1 + 3 : 2 + 4), 0));
    EXPECT_EQ(part->async_error(), std::nullopt);
  });
}

TEST_F(NcclStreams, ANegativeColourJoinsNoGroup) {
  on_ranks(3, [](NcclRank& r) {
    const std::unique_ptr<Communicator> part = r.comm->split(r.rank == 1 ? -1 : 7, 0);
    EXPECT_EQ(part == nullptr, r.rank == 1);
    if (part != nullptr) {
      EXPECT_EQ(part->size(), 2);
    }
  });
}

// The scalar of a scaled sum goes by the rank in the communicator.
TEST_F(NcclStreams, GroupsScaleByTheirOwnRanks) {
  on_ranks(3, [](NcclRank& r) {
    const std::unique_ptr<Communicator> part = r.comm->split(r.rank == 0 ? 0 : 1, 0);
    DeviceNumbers numbers(*r.device, *r.stream, kType, kCount);
    numbers.fill(0, kCount, constant(10), 0);
    Call call = sum(numbers);
    call.op = ReduceOp::mulsum;
    part->enqueue(call, *r.stream);
    EXPECT_TRUE(numbers.has(0, kCount, constant(r.rank == 0 ? 10 : 10 + 20), 0));
  });
}

TEST_F(NcclStreams, TheDefaultStreamCanBeTheOne) {
  on_ranks(up_to(2),
           [](NcclRank& r) {
             DeviceNumbers numbers(*r.device, *r.stream, kType, kCount);
             numbers.fill(0, kCount, constant(3), 0);
             r.run(sum(numbers));
             EXPECT_TRUE(numbers.has(0, kCount, constant(3 * r.size), 0));
           },
           {.wait = WaitPolicy::yield, .default_stream = true});
}

TEST_F(NcclStreams, MemoryOfEachKindIsAligned) {
  on_ranks(1, [](NcclRank& r) {
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::host, MemoryKind::pinned}) {
      EXPECT_GT(r.device->available(kind), 0U);
      for (const Bytes bytes : {Bytes{0}, Bytes{5}, Bytes{100000}}) {
        const std::unique_ptr<Memory> memory = r.device->allocate(bytes, kind);
        EXPECT_EQ(memory->bytes(), bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->data()) % 4096, 0U);
        if (kind != MemoryKind::device) std::fill_n(memory->data(), bytes, std::byte{1});
      }
    }
  });
}

TEST_F(NcclStreams, MemoryThatIsNotThereIsNamed) {
  on_ranks(1, [](NcclRank& r) {
    const Bytes too_much = 2 * r.device->available(MemoryKind::device) + (64ULL << 30);
    try {
      r.device->allocate(too_much, MemoryKind::device);
      ADD_FAILURE() << "allocated " << too_much;
    } catch (const SystemError& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.find("cannot allocate "), 0U) << text;
      EXPECT_NE(text.find("cudaMalloc on device 0 failed with cudaErrorMemoryAllocation (2)"),
                std::string::npos)
          << text;
    }
    DeviceNumbers numbers(*r.device, *r.stream, kType, kCount);  // the error is forgotten
    EXPECT_TRUE(numbers.is_stale(0, kCount));
  });
}

TEST_F(NcclStreams, DevicesAndLibrariesAreNamed) {
  on_ranks(up_to(3), [](NcclRank& r) {
    EXPECT_EQ(r.device->facts().index, r.rank);
    EXPECT_FALSE(r.device->facts().model.empty());
    EXPECT_FALSE(r.device->facts().bus_id.empty());
    const auto libraries = r.backend->libraries();
    for (const char* name : {"nccl", "cuda_runtime", "cuda_driver"}) {
      ASSERT_EQ(libraries.count(name), 1U) << name;
      EXPECT_NE(libraries.at(name).find('.'), std::string::npos) << libraries.at(name);
    }
    EXPECT_EQ(r.backend->name(), "nccl");
    EXPECT_EQ(r.backend->operations_per_sample(), 20U);
    EXPECT_EQ(r.backend->wait_policy(), WaitPolicy::yield);
  });
}

}  // namespace
}  // namespace collbench
