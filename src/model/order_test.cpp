// SPDX-License-Identifier: Apache-2.0
#include "model/order.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench::model {
namespace {

TEST(Order, HasTheNamesOfFrameworks) {
  EXPECT_EQ(format(parse_order("megatron", "--order")), "tp-cp-ep-dp-pp");
  EXPECT_EQ(format(parse_order("llama3", "--order")), "tp-cp-ep-pp-dp");
}

TEST(Order, IsSpelledByItsDimensions) {
  EXPECT_EQ(format(parse_order("dp-pp-tp-ep-cp", "--order")), "dp-pp-tp-ep-cp");
}

TEST(Order, NamesEachDimensionOnce) {
  for (const char* text : {"", "tp", "tp-cp-ep-dp", "tp-cp-ep-dp-dp", "tp-cp-ep-dp-pp-tp",
                           "tp-cp-ep-dp-xx", "tp-cp-ep-dp-", "TP-CP-EP-DP-PP"}) {
    EXPECT_THROW(parse_order(text, "--order"), UserError) << text;
  }
}

}  // namespace
}  // namespace collbench::model
