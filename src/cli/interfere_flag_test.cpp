// SPDX-License-Identifier: Apache-2.0
#include "cli/interfere_flag.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench {
namespace {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(InterfereFlag, OperationSizeAndGroups) {
  const InterferingChoice all = parse_interfering("all_gather@world");
  EXPECT_EQ(all.operation->traffic.name, "all_gather");
  EXPECT_FALSE(all.message_bytes);
  EXPECT_FALSE(all.groups);
  const InterferingChoice some = parse_interfering("sendrecv:64M@mod 2");
  EXPECT_EQ(some.operation->traffic.name, "sendrecv");
  EXPECT_EQ(some.message_bytes, Bytes{64} << 20);
  EXPECT_EQ(groups_text(some), "MOD 2");
}

TEST(InterfereFlag, ItsTextReadsBack) {
  for (const char* text : {"all_reduce@world", "alltoall:1000000@DIV 4", "sendrecv:8@AND 1"}) {
    EXPECT_EQ(to_text(parse_interfering(text)), text);
  }
}

TEST(InterfereFlag, WhatCannotBeMeantIsRefused) {
  for (const char* text : {"", "all_gather", "all_gather@", "@world", "alltoallv@world",
                           "broadcast@world", "all_gather:@world", "all_gather:0@world",
                           "all_gather:1Q@world", "all_gather@all", "all_gather@MOD 0"}) {
    const std::string error = error_of([&] { parse_interfering(text); });
    EXPECT_EQ(error.rfind("--interfere", 0), 0U) << text << ": " << error;
  }
}

TEST(InterfereFlag, OperationsAreTimedBackToBack) {
  EXPECT_EQ(error_of([] { refuse_interfering(traffic::all_gather, Method{}, false); }), "");
  Method isolated;
  isolated.mode = Mode::isolated;
  Method single;
  single.iteration_times = true;
  EXPECT_NE(error_of([&] { refuse_interfering(traffic::all_gather, isolated, false); }), "");
  EXPECT_NE(error_of([&] { refuse_interfering(traffic::all_gather, single, false); }), "");
  EXPECT_NE(error_of([] { refuse_interfering(traffic::all_gather, Method{}, true); }), "");
  EXPECT_NE(error_of([] { refuse_interfering(traffic::broadcast, Method{}, false); }), "");
}

}  // namespace
}  // namespace collbench
