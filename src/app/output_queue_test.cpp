// SPDX-License-Identifier: Apache-2.0
#include "app/output_queue.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

#include "base/errors.h"

namespace collbench {
namespace {

constexpr double kLong_s = 30;  // never waited for in a test that passes

TEST(OutputQueue, WritesInOrder) {
  std::string written;
  OutputQueue queue([&](std::string_view text) { written += text; });
  EXPECT_TRUE(queue.written_within(0));
  for (const char* text : {"one ", "two ", "three"}) queue.add(text);
  EXPECT_TRUE(queue.written_within(kLong_s));
  EXPECT_EQ(written, "one two three");
}

TEST(OutputQueue, WritesWhatIsLeftBeforeItGoes) {
  std::string written;
  {
    OutputQueue queue([&](std::string_view text) { written += text; });
    queue.add("the end");
  }
  EXPECT_EQ(written, "the end");
}

TEST(OutputQueue, AReaderWhoPagesHoldsNobodyUp) {
  std::promise<void> reads_on;
  std::shared_future<void> reader = reads_on.get_future().share();
  std::string written;
  OutputQueue queue([&](std::string_view text) {
    reader.wait();
    written += text;
  });
  for (int row = 0; row < 100; ++row) queue.add("row ");
  EXPECT_FALSE(queue.written_within(0.01));
  reads_on.set_value();
  EXPECT_TRUE(queue.written_within(kLong_s));
  EXPECT_EQ(written.size(), 400U);
}

TEST(OutputQueue, AFailureIsToldToWhoeverComesNext) {
  int writes = 0;
  OutputQueue queue([&](std::string_view) {
    ++writes;
    throw SystemError("write to stdout failed: no space");
  });
  queue.add("row");
  const auto told = [](const std::function<void()>& work) -> std::string {
    try {
      work();
    } catch (const SystemError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(told([&] { queue.written_within(kLong_s); }), "write to stdout failed: no space");
  EXPECT_EQ(told([&] { queue.add("another"); }), "write to stdout failed: no space");
  EXPECT_EQ(writes, 1);
}

}  // namespace
}  // namespace collbench
