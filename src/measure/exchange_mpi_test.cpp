// SPDX-License-Identifier: Apache-2.0
// Exchanges by every kind of traffic matrix on the host backend, in every mode.
#include "measure/exchange.h"

#include <gtest/gtest.h>

#include "comm/mpi/host_test_rank.h"
#include "measure/data_check.h"
#include "traffic/matrix_spec.h"

namespace collbench {
namespace {

const Operation kAllToAllV = {
    traffic::alltoallv,
    [](const Setting& s, const Buffers& b) {
      return CallGroups{{all_to_all_v(b, s.exchange->mine, s.type)}};
    },
    [](const Setting& s) {
      std::vector<ExpectedBlock> blocks;
      for (int r = 0; r < s.ranks; ++r) {
        blocks.push_back({Source::rank_data, r, first_sent(*s.exchange, r, s.rank),
                          s.exchange->elements.at(r, s.rank)});
      }
      return blocks;
    }};

class Exchanges : public ::testing::TestWithParam<TestMode> {};

TEST_P(Exchanges, AreRightBlockByBlockWhateverTheMatrix) {
  TestRank r(GetParam().use);
  Setting setting;
  setting.rank = r.rank;
  setting.ranks = r.size;
  std::uint64_t seed = 0;
  for (const char* text : {"uniform", "linear:1", "zipf:1.2", "lognormal:2", "hot:0.9", "hot:1"}) {
    const traffic::MatrixSpec spec = traffic::parse_matrix_spec(text, "--matrix");
    for (const Bytes message : {16, 1000, 300'000}) {
      const traffic::Matrix weights = traffic::make_weights(spec, r.size, ++seed);
      const traffic::Matrix bytes = traffic::scaled(weights, message);
      const Exchange exchange = make_exchange(bytes, setting.type, r.rank);
      setting.exchange = &exchange;
      std::vector<std::byte> send(message);
      std::vector<std::byte> recv(message);
      const CheckOutcome outcome =
          check_operation({test_session().control_plane(), *r.comm, *r.device, *r.stream},
                          make_groups(std::nullopt, r.size).ranks_of_group, kAllToAllV, setting,
                          {send.data(), recv.data()}, seed)
              .front();
      EXPECT_EQ(outcome.wrong_elements, 0U) << text << ", " << outcome.first_wrong;
      Bytes sent = 0;
      for (int rank = 0; rank < r.size; ++rank) sent += bytes.sent_by(rank);
      EXPECT_EQ(outcome.checked_elements * size_of(setting.type), sent) << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Exchanges, ::testing::ValuesIn(test_modes()),
                         [](const auto& mode) { return mode.param.name; });

}  // namespace
}  // namespace collbench
