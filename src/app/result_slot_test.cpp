// SPDX-License-Identifier: Apache-2.0
#include "app/result_slot.h"

#include <gtest/gtest.h>

#include <thread>

#include "results/result_test_folder.h"

namespace collbench {
namespace {

class ResultSlotTest : public testing::Test, protected ResultFolder {
 protected:
  ResultSlot slot_;
};

TEST_F(ResultSlotTest, TheFirstToFinishDecides) {
  slot_.own([&] { return create(); });
  EXPECT_EQ(slot_.finish({ExitStatus::interrupted, "got SIGINT"}), ExitStatus::interrupted);
  EXPECT_EQ(slot_.finish({ExitStatus::ok, ""}), ExitStatus::interrupted);
  EXPECT_EQ(read_document(path_).run.status, RunStatus::interrupted);
}

TEST_F(ResultSlotTest, AfterTheEndNoFileIsMade) {
  EXPECT_EQ(slot_.finish({ExitStatus::terminated, "got SIGTERM"}), ExitStatus::terminated);
  EXPECT_EQ(slot_.own([&] { return create(); }), nullptr);
  EXPECT_EQ(names(), std::set<std::string>{});
}

TEST_F(ResultSlotTest, AnEndWaitsForAFileThatIsBeingMade) {
  std::thread watchdog;
  slot_.own([&] {
    watchdog = std::thread([&] { slot_.finish({ExitStatus::terminated, "got SIGTERM"}); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it may find nothing to finish
    return create();
  });
  watchdog.join();
  EXPECT_EQ(read_document(path_).run.message, "got SIGTERM");
}

TEST_F(ResultSlotTest, AFileThatTakesTooLongSaysHowTheRunEnded) {
  ResultSlot impatient{std::chrono::milliseconds(0)};
  ResultFile* const file = impatient.own([&] {
    EXPECT_EQ(impatient.finish({ExitStatus::terminated, "got SIGTERM"}), ExitStatus::terminated);
    return create();
  });
  ASSERT_NE(file, nullptr);
  const Document document = read_document(path_);
  EXPECT_EQ(document.run.status, RunStatus::interrupted);
  EXPECT_EQ(document.run.exit_status, 143);
  EXPECT_EQ(names(), (std::set<std::string>{"out.json"}));
  EXPECT_FALSE(file->append(example::measured(false)));
  EXPECT_EQ(impatient.finish({ExitStatus::ok, ""}), ExitStatus::terminated);
}

TEST_F(ResultSlotTest, AFileThatCannotBeMadeLeavesTheEndItsStatus) {
  EXPECT_THROW(slot_.own([]() -> std::unique_ptr<ResultFile> { throw UserError("no folder"); }),
               UserError);
  EXPECT_EQ(slot_.finish({ExitStatus::user_error, "no folder"}), ExitStatus::user_error);
}

TEST_F(ResultSlotTest, WithoutAFileEveryEndKeepsItsStatus) {
  EXPECT_EQ(slot_.finish({ExitStatus::ok, ""}), ExitStatus::ok);
  EXPECT_EQ(slot_.finish({ExitStatus::deadline, "late"}), ExitStatus::deadline);
}

}  // namespace
}  // namespace collbench
