// SPDX-License-Identifier: Apache-2.0
// Every collective against a plain reference that is computed from all ranks' inputs.
#include <algorithm>
#include <cmath>

#include "kinds.h"
#include "number_types.h"
#include "rank_threads.h"

namespace fakenccl::test {
namespace {

constexpr std::size_t kSizes[] = {0, 1, 13, 65537, 300000};
constexpr double kUntouched = 1;  // of what a call must not write

/// Element i of a rank's send buffer: small enough that sums and products are exact in every type.
double input(int rank, std::size_t i) {
  return static_cast<double>((i * 7 + static_cast<std::size_t>(rank) * 5 + i / 1000) % 3);
}

struct Case {
  Kind kind;
  std::size_t count;
  ncclDataType_t type;
  ncclRedOp_t op = ncclSum;
  int root = 0;
  bool in_place = false;
};

std::size_t blocks(bool are_there, int ranks) {
  return are_there ? static_cast<std::size_t>(ranks) : 1;
}

double combined(const Case& c, int ranks, std::size_t i) {
  double value = input(0, i);
  for (int rank = 1; rank < ranks; ++rank) {
    const double next = input(rank, i);
    if (c.op == ncclProd) value *= next;
    if (c.op == ncclMax) value = std::max(value, next);
    if (c.op == ncclMin) value = std::min(value, next);
    if (c.op == ncclSum || c.op == ncclAvg) value += next;
  }
  const bool whole = c.type <= ncclUint64;
  if (c.op == ncclAvg) value = whole ? std::trunc(value / ranks) : value / ranks;
  return value;
}

/// What element i of a rank's receive buffer must be.
double expected(const Case& c, int rank, int ranks, std::size_t i) {
  const std::size_t block = c.count ? i / c.count : 0;
  const std::size_t within = c.count ? i % c.count : 0;
  const auto own = static_cast<std::size_t>(rank) * c.count;
  switch (c.kind) {
    case Kind::ReduceScatter:
      return combined(c, ranks, own + i);
    case Kind::AllGather:
    case Kind::Gather:
      return input(static_cast<int>(block), within);
    case Kind::AlltoAll:
      return input(static_cast<int>(block), own + within);
    case Kind::Scatter:
      return input(c.root, own + i);
    case Kind::Broadcast:
      return input(c.root, i);
    default:
      return combined(c, ranks, i);
  }
}

ncclResult_t call(const Case& c, const void* send, void* receive, const Rank& r) {
  switch (c.kind) {
    case Kind::AllReduce:
      return ncclAllReduce(send, receive, c.count, c.type, c.op, r.comm, r.stream);
    case Kind::AllGather:
      return ncclAllGather(send, receive, c.count, c.type, r.comm, r.stream);
    case Kind::ReduceScatter:
      return ncclReduceScatter(send, receive, c.count, c.type, c.op, r.comm, r.stream);
    case Kind::Broadcast:
      return ncclBroadcast(send, receive, c.count, c.type, c.root, r.comm, r.stream);
    case Kind::Reduce:
      return ncclReduce(send, receive, c.count, c.type, c.op, c.root, r.comm, r.stream);
    case Kind::AlltoAll:
      return ncclAlltoAll(send, receive, c.count, c.type, r.comm, r.stream);
    case Kind::Gather:
      return ncclGather(send, receive, c.count, c.type, c.root, r.comm, r.stream);
    default:
      return ncclScatter(send, receive, c.count, c.type, c.root, r.comm, r.stream);
  }
}

/// Where the send buffer lies in the receive buffer (or the reverse), as nccl.h says for in place.
std::size_t in_place_offset(const Case& c, int rank) {
  const KindFacts& kind = facts(c.kind);
  const bool own_block = kind.sends_blocks != kind.receives_blocks;
  return own_block ? static_cast<std::size_t>(rank) * c.count * size_of(c.type) : 0;
}

/// Runs a case on one rank, and compares all that it may write, and may not.
void check(const Case& c, const Rank& r) {
  SCOPED_TRACE(std::string(facts(c.kind).name) + " count " + std::to_string(c.count) + " type " +
               std::to_string(c.type) + " op " + std::to_string(c.op) + " root " +
               std::to_string(c.root) + " rank " + std::to_string(r.rank) +
               (c.in_place ? " in place" : ""));
  const KindFacts& kind = facts(c.kind);
  const std::size_t sent = c.count * blocks(kind.sends_blocks, r.ranks);
  const std::size_t received = c.count * blocks(kind.receives_blocks, r.ranks);
  const bool sends = !kind.only_root_sends || c.root == r.rank;
  const bool receives = !kind.only_root_receives || c.root == r.rank;
  std::vector<double> inputs(sent);
  for (std::size_t i = 0; i < sent; ++i) inputs[i] = input(r.rank, i);

  Buffer<std::byte> send(encode(c.type, inputs));
  Buffer<std::byte> receive(encode(c.type, std::vector<double>(received, kUntouched)));
  std::byte* from = send.at();
  std::byte* to = receive.at();
  const bool one_buffer = c.in_place && sends && receives;
  Buffer<std::byte>& result = one_buffer && sent > received ? send : receive;
  std::size_t result_at = 0;
  if (one_buffer && sent > received) {
    result_at = in_place_offset(c, r.rank);
    to = from + result_at;
  } else if (one_buffer) {
    from = to + in_place_offset(c, r.rank);
    EXPECT_CUDA(cudaMemcpy(from, send.at(), sent * size_of(c.type), cudaMemcpyDeviceToDevice));
    EXPECT_CUDA(cudaDeviceSynchronize());  // which such a copy does not do
  }
  ASSERT_EQ(call(c, sends ? from : nullptr, receives ? to : nullptr, r), ncclSuccess)
      << ncclGetLastError(r.comm);
  r.synchronize();

  const std::vector<std::byte> all = result.read();
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(result_at);
  const auto bytes = static_cast<std::ptrdiff_t>(received * size_of(c.type));
  const std::vector<double> found = decode(c.type, {begin, begin + bytes});
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < received; ++i) {
    const double want = receives ? expected(c, r.rank, r.ranks, i) : kUntouched;
    if (found[i] != want && ++wrong == 1)
      ADD_FAILURE() << "[" << i << "] " << found[i] << ", not " << want;
  }
  EXPECT_EQ(wrong, 0u);
  if (one_buffer) return;
  EXPECT_EQ(decode(c.type, send.read()), inputs) << "the send buffer has changed";
}

constexpr Kind kCollectives[] = {Kind::AllReduce, Kind::AllGather, Kind::ReduceScatter,
                                 Kind::Broadcast, Kind::Reduce,    Kind::AlltoAll,
                                 Kind::Gather,    Kind::Scatter};

void check_sizes(int ranks, ncclDataType_t type) {
  with_ranks(ranks, [&](Rank& r) {
    for (const Kind kind : kCollectives) {
      for (const std::size_t count : kSizes) {
        for (const bool in_place : {false, true}) {
          const bool blocks_both = facts(kind).sends_blocks && facts(kind).receives_blocks;
          if (in_place && blocks_both) continue;
          check({kind, count, type, ncclSum, ranks - 1, in_place}, r);
        }
      }
    }
  });
}

TEST(Collectives, AllSizesAloneAndInPlace) { check_sizes(1, ncclFloat32); }
TEST(Collectives, AllSizesOfTwoRanks) { check_sizes(2, ncclFloat64); }
TEST(Collectives, AllSizesOfThreeRanks) { check_sizes(3, ncclUint8); }

TEST(Collectives, AllTypesAndOperations) {
  // Two ranks: halves are exact in every type, thirds in none.
  with_ranks(2, [&](Rank& r) {
    for (const Kind kind : {Kind::AllReduce, Kind::ReduceScatter, Kind::Reduce}) {
      for (const ncclDataType_t type : kAllTypes) {
        for (const auto op : {ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg}) {
          check({kind, 1013, type, op, 1, false}, r);
        }
      }
    }
  });
}

TEST(Collectives, AllTypesMove) {
  with_ranks(3, [&](Rank& r) {
    for (const ncclDataType_t type : kAllTypes) {
      for (const Kind kind :
           {Kind::AllGather, Kind::Broadcast, Kind::AlltoAll, Kind::Gather, Kind::Scatter}) {
        check({kind, 257, type, ncclSum, 1, false}, r);
      }
    }
  });
}

TEST(Collectives, EveryRankCanBeRoot) {
  with_ranks(3, [&](Rank& r) {
    for (const Kind kind : {Kind::Broadcast, Kind::Reduce, Kind::Gather, Kind::Scatter}) {
      for (int root = 0; root < 3; ++root)
        check({kind, 100, ncclInt32, ncclSum, root, root == 1}, r);
    }
  });
}

TEST(Collectives, BcastWorksOnOneBuffer) {
  with_ranks(2, [](Rank& r) {
    Buffer<int> buffer(5, r.rank);
    EXPECT_NCCL(ncclBcast(buffer.at(), 5, ncclInt32, 1, r.comm, r.stream));
    r.synchronize();
    EXPECT_EQ(buffer.read(), std::vector<int>(5, 1));
  });
}

TEST(Collectives, IntegersHaveSignsAndWrapAround) {
  with_ranks(2, [](Rank& r) {
    Buffer<std::int8_t> in(2, static_cast<std::int8_t>(r.rank == 0 ? 100 : 101));
    Buffer<std::int8_t> out(2);
    EXPECT_NCCL(ncclAllReduce(in.at(), out.at(), 2, ncclInt8, ncclSum, r.comm, r.stream));
    r.synchronize();
    EXPECT_EQ(out.read()[0], static_cast<std::int8_t>(201 - 256));
    in.write(std::vector<std::int8_t>(2, static_cast<std::int8_t>(r.rank == 0 ? -3 : 2)));
    EXPECT_NCCL(ncclAllReduce(in.at(), out.at(), 2, ncclInt8, ncclMin, r.comm, r.stream));
    r.synchronize();
    EXPECT_EQ(out.read()[0], -3);
    EXPECT_NCCL(ncclAllReduce(in.at(), out.at(), 2, ncclUint8, ncclMin, r.comm, r.stream));
    r.synchronize();
    EXPECT_EQ(out.read()[0], 2) << "as an unsigned number, -3 is 253";
  });
}

TEST(Collectives, AverageOfFloatsMultipliesFirst) {
  with_ranks(3, [](Rank& r) {
    Buffer<float> buffer(1, 5.0f);
    EXPECT_NCCL(ncclAllReduce(buffer.at(), buffer.at(), 1, ncclFloat32, ncclAvg, r.comm, r.stream));
    r.synchronize();
    const float third = 5.0f * (1.0f / 3.0f);
    EXPECT_EQ(buffer.read()[0], third + third + third);
  });
}

TEST(Collectives, PreMulSumTakesAScalarOfEachRank) {
  with_ranks(2, [](Rank& r) {
    float host_scalar = r.rank == 0 ? 2.0f : 3.0f;
    Buffer<float> device_scalar(1, 10.0f);
    ncclRedOp_t of_host, of_device;
    EXPECT_NCCL(ncclRedOpCreatePreMulSum(&of_host, &host_scalar, ncclFloat32,
                                         ncclScalarHostImmediate, r.comm));
    EXPECT_NCCL(ncclRedOpCreatePreMulSum(&of_device, device_scalar.at(), ncclFloat32,
                                         ncclScalarDevice, r.comm));
    EXPECT_NE(of_host, of_device);
    host_scalar = 99;  // it has been read
    device_scalar.write({100.0f});
    Buffer<float> buffer(3, 1.0f);
    EXPECT_NCCL(ncclAllReduce(buffer.at(), buffer.at(), 3, ncclFloat32, of_host, r.comm, r.stream));
    EXPECT_NCCL(ncclRedOpDestroy(of_host, r.comm));
    r.synchronize();
    EXPECT_EQ(buffer.read(), std::vector<float>(3, 5.0f));
    EXPECT_NCCL(
        ncclAllReduce(buffer.at(), buffer.at(), 3, ncclFloat32, of_device, r.comm, r.stream));
    r.synchronize();
    EXPECT_EQ(buffer.read(), std::vector<float>(3, 1000.0f));
    EXPECT_EQ(ncclAllReduce(buffer.at(), buffer.at(), 3, ncclFloat32, of_host, r.comm, r.stream),
              ncclInvalidArgument);
    EXPECT_EQ(ncclAllReduce(buffer.at(), buffer.at(), 3, ncclInt32, of_device, r.comm, r.stream),
              ncclInvalidArgument);
  });
}

}  // namespace
}  // namespace fakenccl::test
