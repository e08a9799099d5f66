// SPDX-License-Identifier: Apache-2.0
#include "results/baseline_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "base/errors.h"
#include "results/example_steps.h"
#include "results/open_file.h"
#include "results/result_test_folder.h"

namespace collbench {
namespace {

using Launches = std::vector<Document>;

class BaselineFile : public testing::Test, protected ResultFolder {
 protected:
  const fs::path base_ = folder_ / "base.jsonl";
};

// A result file of one line, as some tools write it, would otherwise take the launches of others.
TEST_F(BaselineFile, IsNotCalledAsResultFilesAre) {
  write(path_, "kept");
  try {
    change_baseline(path_, [](Launches) { return Launches{example::ended()}; });
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.what(), path_.string() +
                                ": result files are called so, and baselines .jsonl; name the "
                                "baseline first");
  }
  EXPECT_EQ(read(path_), "kept");
  EXPECT_THROW(read_baseline(path_), UserError);
}

TEST_F(BaselineFile, OneLinePerLaunch) {
  const std::string path = base_;
  Document odd = example::ended();
  odd.environment.variables["NCCL_DEBUG"] = "two\n  lines";
  const Launches launches = {odd, example::scaled()};
  change_baseline(path, [&](Launches before) {
    EXPECT_TRUE(before.empty());
    return launches;
  });
  const std::string text = read_file(path);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_EQ(read_baseline(path), launches);
}

TEST_F(BaselineFile, WhatCannotBeReadIsNamedByItsLineAndStays) {
  const std::string path = base_;
  change_baseline(path, [](Launches) { return Launches{example::ended()}; });
  const std::string broken = read_file(path) + "{\"schema\":1}\n";
  replace_file(path, broken);
  try {
    change_baseline(path, [](Launches) { return Launches(); });
    FAIL();
  } catch (const UserError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(path + ", line 2: /schema: "))
        << error.what();
  }
  EXPECT_EQ(read_file(path), broken);
  EXPECT_THROW(read_baseline(folder_ / "none"), UserError);
}

TEST_F(BaselineFile, ALinkStaysOneAndItsFileIsChanged) {
  const fs::path target = folder_ / "target.jsonl", link = folder_ / "link.jsonl";
  fs::create_symlink("target.jsonl", link);  // to what is not there yet
  for (std::size_t launches = 1; launches <= 2; ++launches) {
    change_baseline(link, [&](Launches before) {
      before.push_back(example::ended());
      return before;
    });
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(read_baseline(target).size(), launches);
  }
  EXPECT_TRUE(fs::exists(folder_ / "target.jsonl.lock"));  // the same by either name
  fs::create_symlink("circle", folder_ / "circle");
  EXPECT_THROW(change_baseline(folder_ / "circle", [](Launches all) { return all; }), UserError);
}

TEST_F(BaselineFile, AnEmptyLineIsNamed) {
  change_baseline(base_, [](Launches) { return Launches{example::ended()}; });
  write(base_, read(base_) + "\n");
  try {
    read_baseline(base_);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.what(),
              base_.string() + ", line 2: is empty, where a run should be; remove the line");
  }
}

TEST_F(BaselineFile, NoChangeIsLostWhereManyChangeIt) {
  const std::string path = base_;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int change = 0; change < 4; ++change) {
        change_baseline(path, [](Launches launches) {
          launches.push_back(example::ended());
          return launches;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(read_baseline(path).size(), 32u);
}

}  // namespace
}  // namespace collbench
