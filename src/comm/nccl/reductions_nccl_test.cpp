// SPDX-License-Identifier: Apache-2.0
// Every reduction of every type, in and out of place.
#include <fmt/format.h>

#include "comm/nccl/nccl_test_data.h"
#include "comm/nccl/nccl_test_ranks.h"

namespace collbench {
namespace {

// Neither begins nor ends with a tile of the pattern.
constexpr Count kCount = 333;
constexpr Count kFirst = 1000;

struct Case {
  DataType type;
  ReduceOp op;
  bool in_place;

  std::string text() const {
    return fmt::format("{} {} {} place", name_of(type), name_of(op), in_place ? "in" : "out of");
  }
};

template <class Body>
void for_each_case(const Body& body) {
  for (const DataTypeRow& type : kDataTypes) {
    for (const ReduceOpRow& op : kReduceOps) {
      for (const bool in_place : {false, true}) body(Case{type.type, op.op, in_place});
    }
  }
}

Pattern sent(const Case& c, const NcclRank& r) {
  return pattern_of(c.type, [&](Count slot) { return input(c.op, c.type, r.rank, r.size, slot); });
}
Pattern expected(const Case& c, const NcclRank& r) {
  return pattern_of(c.type, [&](Count slot) { return reduced(c.op, c.type, r.size, slot); });
}

class NcclReductions : public NcclTest, public testing::WithParamInterface<int> {};

TEST_P(NcclReductions, AllReduce) {
  on_ranks(GetParam(), [](NcclRank& r) {
    for_each_case([&](const Case& c) {
      DeviceNumbers send(*r.device, *r.stream, c.type, kCount);
      DeviceNumbers recv(*r.device, *r.stream, c.type, kCount);
      send.fill(0, kCount, sent(c, r), kFirst);
      DeviceNumbers& result = c.in_place ? send : recv;
      r.run(all_reduce({send.at(0), result.at(0)}, kCount, c.type, c.op));
      EXPECT_TRUE(result.has(0, kCount, expected(c, r), kFirst)) << c.text();
      EXPECT_TRUE(result.ends_untouched()) << c.text();
    });
  });
}

TEST_P(NcclReductions, ReduceScatter) {
  on_ranks(GetParam(), [](NcclRank& r) {
    const Count all = kCount * static_cast<Count>(r.size);
    const Count own = kCount * static_cast<Count>(r.rank);
    for_each_case([&](const Case& c) {
      DeviceNumbers send(*r.device, *r.stream, c.type, all);
      DeviceNumbers recv(*r.device, *r.stream, c.type, kCount);
      send.fill(0, all, sent(c, r), kFirst);
      DeviceNumbers& result = c.in_place ? send : recv;
      const Count at = c.in_place ? own : 0;
      r.run(reduce_scatter({send.at(0), result.at(at)}, kCount, c.type, c.op));
      EXPECT_TRUE(result.has(at, kCount, expected(c, r), kFirst + own)) << c.text();
      EXPECT_TRUE(result.ends_untouched()) << c.text();
    });
  });
}

TEST_P(NcclReductions, Reduce) {
  on_ranks(GetParam(), [](NcclRank& r) {
    const int root = r.size - 1;
    for_each_case([&](const Case& c) {
      DeviceNumbers send(*r.device, *r.stream, c.type, kCount);
      DeviceNumbers recv(*r.device, *r.stream, c.type, kCount);
      send.fill(0, kCount, sent(c, r), kFirst);
      DeviceNumbers& result = c.in_place ? send : recv;
      r.run(reduce({send.at(0), result.at(0)}, kCount, c.type, c.op, root));
      if (r.rank == root) {
        EXPECT_TRUE(result.has(0, kCount, expected(c, r), kFirst)) << c.text();
      } else if (!c.in_place) {
        EXPECT_TRUE(recv.is_stale(0, kCount)) << c.text();
      }
    });
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, NcclReductions, testing::Values(1, 2, 3));

}  // namespace
}  // namespace collbench
