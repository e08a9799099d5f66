// SPDX-License-Identifier: Apache-2.0
// Every reduction of every type on the host backend, in and out of place, bit by bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "comm/mpi/host_test_rank.h"
#include "measure/data_check.h"

namespace collbench {
namespace {

constexpr Count kCount = 301;  // more than one tile of the pattern, and of no vector unit

struct Case {
  const char* name;
  Operation operation;
  // Where the rank's data and its result lie within one buffer when it works in place.
  Buffers (*in_place)(std::byte* whole, Bytes own_block);
};

Buffers same_buffer(std::byte* whole, Bytes /*own_block*/) { return {whole, whole}; }

const Case kCases[] = {
    {"all_reduce",
     {traffic::all_reduce,
      [](const Setting& s, const Buffers& b) {
        return CallGroups{{all_reduce(b, s.count, s.type, s.op)}};
      },
      [](const Setting&) {
        return std::vector<ExpectedBlock>{{.source = Source::reduction_of_all}};
      }},
     same_buffer},
    {"reduce_scatter",
     {traffic::reduce_scatter,
      [](const Setting& s, const Buffers& b) {
        return CallGroups{{reduce_scatter(b, s.count, s.type, s.op)}};
      },
      [](const Setting& s) {
        const Count first = static_cast<Count>(s.rank) * s.count;
        return std::vector<ExpectedBlock>{
            {.source = Source::reduction_of_all, .first_element = first}};
      }},
     [](std::byte* whole, Bytes own_block) {
       return Buffers{whole, whole + own_block};
     }},
    {"reduce",
     {traffic::reduce,
      [](const Setting& s, const Buffers& b) {
        return CallGroups{{reduce(b, s.count, s.type, s.op, s.root)}};
      },
      [](const Setting& s) {
        return std::vector<ExpectedBlock>{
            {.source = s.rank == s.root ? Source::reduction_of_all : Source::untouched}};
      }},
     same_buffer},
};

class Reductions : public ::testing::TestWithParam<DataTypeRow> {
 protected:
  CheckOutcome check(TestRank& r, const Case& c, const Setting& setting, bool in_place) {
    const Bytes block = setting.count * size_of(setting.type);
    std::vector<std::byte> send(block * static_cast<Bytes>(r.size));
    std::vector<std::byte> recv(send.size());
    const Buffers buffers = in_place ? c.in_place(recv.data(), block * static_cast<Bytes>(r.rank))
                                     : Buffers{send.data(), recv.data()};
    return check_operation({test_session().control_plane(), *r.comm, *r.device, *r.stream},
                           make_groups(std::nullopt, r.size).ranks_of_group, c.operation, setting,
                           buffers, ++seed_)
        .front();
  }

 private:
  std::uint64_t seed_ = 0;
};

// The engine's modes take turns: each sees every operation.
TEST_P(Reductions, AreExactInAndOutOfPlace) {
  std::vector<std::unique_ptr<TestRank>> ranks;
  for (const TestMode& mode : test_modes()) ranks.push_back(std::make_unique<TestRank>(mode.use));
  auto turn = static_cast<std::size_t>(GetParam().type);
  for (const ReduceOpRow& op : kReduceOps) {
    ++turn;  // or an operation had the same mode for every reduction
    for (const Case& c : kCases) {
      for (const bool in_place : {false, true}) {
        const std::size_t mode = turn++ % ranks.size();
        TestRank& r = *ranks[mode];
        const Setting setting{.count = kCount,
                              .type = GetParam().type,
                              .op = op.op,
                              .rank = r.rank,
                              .ranks = r.size,
                              .root = r.size - 1};
        const CheckOutcome outcome = check(r, c, setting, in_place);
        EXPECT_EQ(outcome.wrong_elements, 0U) << fmt::format(
            "{} {} {}, {} place, {}: {}", c.name, GetParam().name, op.name,
            in_place ? "in" : "out of", test_modes()[mode].name, outcome.first_wrong);
        EXPECT_EQ(outcome.checked_elements, static_cast<Count>(r.size) * kCount);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Reductions, ::testing::ValuesIn(kDataTypes),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace collbench
