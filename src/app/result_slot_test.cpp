// SPDX-License-Identifier: Apache-2.0
#include "app/result_slot.h"

#include <gtest/gtest.h>

#include "results/result_test_folder.h"

namespace collbench {
namespace {

class ResultSlotTest : public testing::Test, protected ResultFolder {
 protected:
  ResultSlot slot_;
};

TEST_F(ResultSlotTest, TheFirstToFinishDecides) {
  slot_.own(create());
  EXPECT_EQ(slot_.finish({ExitStatus::interrupted, "got SIGINT"}), ExitStatus::interrupted);
  EXPECT_EQ(slot_.finish({ExitStatus::ok, ""}), ExitStatus::interrupted);
  EXPECT_EQ(read_document(path_).run.status, RunStatus::interrupted);
}

TEST_F(ResultSlotTest, AFileThatIsMadeAfterTheEndSaysHowTheRunEnded) {
  EXPECT_EQ(slot_.finish({ExitStatus::terminated, "got SIGTERM"}), ExitStatus::terminated);
  ResultFile& file = slot_.own(create());
  const Document document = read_document(path_);
  EXPECT_EQ(document.run.status, RunStatus::interrupted);
  EXPECT_EQ(document.run.exit_status, 143);
  EXPECT_EQ(document.run.message, "got SIGTERM");
  EXPECT_EQ(names(), (std::set<std::string>{"out.json"}));
  EXPECT_FALSE(file.append(example::measured(false)));
  EXPECT_EQ(slot_.finish({ExitStatus::ok, ""}), ExitStatus::terminated);
}

TEST_F(ResultSlotTest, WithoutAFileEveryEndKeepsItsStatus) {
  EXPECT_EQ(slot_.finish({ExitStatus::ok, ""}), ExitStatus::ok);
  EXPECT_EQ(slot_.finish({ExitStatus::deadline, "late"}), ExitStatus::deadline);
}

}  // namespace
}  // namespace collbench
