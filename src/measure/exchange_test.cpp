// SPDX-License-Identifier: Apache-2.0
#include "measure/exchange.h"

#include <gtest/gtest.h>

namespace collbench {
namespace {

using Counts = std::vector<Count>;

TEST(Exchange, BlocksLieOneAfterTheOtherInBothBuffers) {
  traffic::Matrix bytes(3);
  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to < 3; ++to) bytes.at(from, to) = static_cast<Bytes>(16 * (3 * from + to));
  }
  // In 16s: 0 1 2 / 3 4 5 / 6 7 8; a float is a quarter of that.
  const Exchange exchange = make_exchange(bytes, DataType::float32, 1);
  EXPECT_EQ(exchange.mine.send, (Counts{12, 16, 20}));
  EXPECT_EQ(exchange.mine.send_first, (Counts{0, 12, 28}));
  EXPECT_EQ(exchange.mine.recv, (Counts{4, 16, 28}));
  EXPECT_EQ(exchange.mine.recv_first, (Counts{0, 4, 20}));
  EXPECT_EQ(first_sent(exchange, 2, 0), 0U);
  EXPECT_EQ(first_sent(exchange, 2, 2), 52U);  // 24 + 28
  EXPECT_EQ(first_sent(exchange, 1, 2), exchange.mine.send_first[2]);
}

}  // namespace
}  // namespace collbench
