// SPDX-License-Identifier: Apache-2.0
#include "results/open_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <thread>

#include "base/errors.h"
#include "results/result_test_folder.h"

namespace collbench {
namespace {

class ReadFile : public testing::Test, protected ResultFolder {
 protected:
  std::string make_pipe() {
    EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0);
    return path_;
  }

  static std::string refusal_of(const std::string& path) {
    try {
      return "no refusal, but: " + read_file(path);
    } catch (const UserError& error) {
      return error.what();
    }
  }
};

TEST_F(ReadFile, APipeThatNobodyWritesIntoIsRefusedAtOnce) {
  const std::string pipe = make_pipe();
  EXPECT_EQ(
      refusal_of(pipe),
      pipe + ": nobody writes into this pipe; name a regular file, or start first what writes");
}

TEST_F(ReadFile, APipeIsReadToItsEndHoweverSlowlyItComes) {
  const std::string pipe = make_pipe();
  const int writer = open(pipe.c_str(), O_RDWR);
  const int keeper = open(pipe.c_str(), O_RDONLY);  // of what is written before anybody else reads
  std::thread slow([&] {
    for (const char c : std::string_view("slow")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ASSERT_EQ(::write(writer, &c, 1), 1);
    }
    close(writer);
  });
  EXPECT_EQ(read_file(pipe), "slow");
  slow.join();
  close(keeper);
}

// Before any of it is read: a hole of so many bytes takes no room on the disk, and seconds to read.
TEST_F(ReadFile, AFileThatIsTooLargeIsRefusedByItsSize) {
  write(path_, "");
  std::filesystem::resize_file(path_, std::uintmax_t{1} << 40);
  EXPECT_EQ(refusal_of(path_),
            path_.string() + ": larger than 1 GiB, too much for a file of this kind");
}

TEST_F(ReadFile, WhatIsNeitherAFileNorAPipeIsRefused) {
  EXPECT_EQ(refusal_of("/dev/zero"), "/dev/zero: this is no regular file");
  EXPECT_EQ(refusal_of(folder_), folder_.string() + ": this is a folder; name the files in it");
  EXPECT_EQ(refusal_of(""), "the name of a file is empty");
}

}  // namespace
}  // namespace collbench
