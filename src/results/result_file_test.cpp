// SPDX-License-Identifier: Apache-2.0
// Tests of result files that nothing bad happens to, and of the names that are refused.
#include "results/result_file.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <set>
#include <thread>

#include "results/example_document.h"
#include "results/json.h"
#include "results/result_test_folder.h"

namespace collbench {
namespace {

class ResultFileTest : public testing::Test, protected ResultFolder {};

TEST_F(ResultFileTest, IsAWholeDocumentFromTheStart) {
  const auto file = create();
  EXPECT_EQ(document_from_json(read(path_), "FILE"), example::started());
  EXPECT_EQ(names(), (std::set<std::string>{"out.json", "out.json.rows"}));
}

TEST_F(ResultFileTest, RowsCanBeReadAtOnce) {
  const auto file = create();
  Document expected = example::started();
  expected.incomplete = true;
  EXPECT_EQ(read_document(path_), expected);
  for (const Record& row : {example::measured(false), example::skipped()}) {
    file->append(row);
    expected.rows.push_back(row);
    EXPECT_EQ(read_document(path_), expected);
  }
}

TEST_F(ResultFileTest, FinishLeavesOneCompleteFile) {
  const auto file = create();
  for (const Record& row : example::ended().rows) file->append(row);
  EXPECT_EQ(file->finish(RunStatus::complete, ExitStatus::wrong_data, "", "2026-03-01T12:00:09Z"),
            ExitStatus::wrong_data);
  EXPECT_EQ(names(), (std::set<std::string>{"out.json"}));
  EXPECT_EQ(read_document(path_), example::ended());
}

TEST_F(ResultFileTest, CyclesOfASoakAreKeptLikeRows) {
  const Document soak = example::soak();
  const auto file = create();
  Document expected = example::started();
  expected.incomplete = true;
  for (const Record& row : soak.rows) file->append(row);
  for (const CycleRow& cycle : soak.cycles) {
    ASSERT_TRUE(file->append(cycle));
    expected.rows = soak.rows;
    expected.cycles.push_back(cycle);
    EXPECT_EQ(read_document(path_), expected);
  }
  file->finish(RunStatus::complete, ExitStatus::wrong_data);
  EXPECT_EQ(read_document(path_).cycles, soak.cycles);
  EXPECT_FALSE(file->append(soak.cycles[0]));
}

TEST_F(ResultFileTest, FirstFinishDecides) {
  const auto file = create();
  file->append(example::measured(false));
  EXPECT_EQ(file->finish(RunStatus::timeout, ExitStatus::deadline, "no progress for 120 s", "then"),
            ExitStatus::deadline);
  EXPECT_EQ(file->finish(RunStatus::complete, ExitStatus::ok), ExitStatus::deadline);
  file->append(example::measured(true));
  const Document document = read_document(path_);
  EXPECT_EQ(document.run.status, RunStatus::timeout);
  EXPECT_EQ(document.run.exit_status, 5);
  EXPECT_EQ(document.run.message, "no progress for 120 s");
  EXPECT_EQ(document.run.ended, "then");
  EXPECT_EQ(document.rows.size(), 1U);
  EXPECT_FALSE(document.incomplete);
}

TEST_F(ResultFileTest, StartsWithoutTheRowsItWasGiven) {
  ResultFile::create(path_, example::ended(), false);
  EXPECT_EQ(document_from_json(read(path_), "FILE").run.status, RunStatus::running);
  EXPECT_TRUE(read_document(path_).rows.empty());
}

// ---- refusals

TEST_F(ResultFileTest, RefusesAnExistingFile) {
  write(path_, "precious");
  EXPECT_EQ(error_of_create(path_), path_.string() +
                                        ": this file exists; choose another name, or "
                                        "give --force to replace it");
  EXPECT_EQ(read(path_), "precious");
  EXPECT_EQ(names(), (std::set<std::string>{"out.json"}));
  EXPECT_EQ(error_of_create(path_, true), "no error");
  EXPECT_EQ(read_document(path_).run.id, example::run().id);
}

TEST_F(ResultFileTest, RefusesWhatAKilledRunHasLeft) {
  create()->append(example::measured(false));
  for (const bool file_is_gone : {false, true}) {
    if (file_is_gone) fs::remove(path_);
    EXPECT_NE(error_of_create(path_).find("a run was killed"), std::string::npos);
    EXPECT_TRUE(fs::exists(rows_));
  }
}

TEST_F(ResultFileTest, ForceNeverMixesOldRowsIn) {
  create()->append(example::measured(false));
  const auto file = create(true);
  EXPECT_TRUE(read_document(path_).rows.empty());
  file->append(example::measured(true));
  EXPECT_EQ(read_document(path_).rows, std::vector{example::measured(true)});
}

TEST_F(ResultFileTest, OneOfTwoRunsGetsTheFile) {
  const auto file = create();
  fs::remove(path_);  // as if the first were just before writing it
  EXPECT_NE(error_of_create(path_), "no error");
}

TEST_F(ResultFileTest, NobodyTakesTheFileOfARunThatGoesOn) {
  auto file = create();
  file->append(example::measured(false));
  for (const bool force : {false, true}) {
    try {
      create(force);
      ADD_FAILURE() << "created twice";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("another run is writing it"), std::string::npos);
    }
  }
  EXPECT_EQ(read_document(path_).rows, std::vector{example::measured(false)});
  file.reset();  // as when the process is gone
  EXPECT_NO_THROW(create(true));
}

TEST_F(ResultFileTest, RefusesNamesThatCannotBeFiles) {
  EXPECT_EQ(error_of_create(""), "the name of the results file is empty");
  EXPECT_EQ(error_of_create(folder_ / "none/out.json"),
            (folder_ / "none/out.json").string() + ": there is no folder " +
                (folder_ / "none").string() + "; create it first");
  EXPECT_EQ(error_of_create(folder_, true),
            folder_.string() + ": this is a folder; name a file in it");
  EXPECT_EQ(error_of_create("/dev/null", true),
            "/dev/null: this is no regular file; choose another name");
  write(folder_ / "file", "");
  EXPECT_NE(error_of_create(folder_ / "file/out.json").find("there is no folder"),
            std::string::npos);
  EXPECT_EQ(error_of_create(folder_ / std::string(300, 'x')),
            (folder_ / std::string(300, 'x')).string() +
                ".rows: open failed: File name too long; choose a file that can be written");
}

TEST_F(ResultFileTest, RefusesALinkToWhatIsNoFile) {
  fs::create_symlink(folder_, path_);
  EXPECT_EQ(error_of_create(path_, true), path_.string() + ": this is a folder; name a file in it");
  fs::remove(path_);
  fs::create_symlink("/dev/null", path_);
  EXPECT_EQ(error_of_create(path_, true),
            path_.string() + ": this is no regular file; choose another name");
  EXPECT_TRUE(fs::is_symlink(path_));
}

TEST_F(ResultFileTest, RefusesAFolderWithoutPermission) {
  chmod(folder_.c_str(), 0555);
  const int status = in_child([&] {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(98);  // root may write anywhere
    const std::string error = error_of_create(path_);
    _exit(error == rows_.string() +
                       ": open failed: Permission denied; choose a file that can be "
                       "written"
              ? 7
              : 8);
  });
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(ResultFileTest, ALinkIsReplacedAndItsTargetKept) {
  write(folder_ / "target", "precious");
  fs::create_symlink(folder_ / "target", path_);
  EXPECT_NE(error_of_create(path_), "no error");
  create(true)->finish(RunStatus::complete, ExitStatus::ok);
  EXPECT_FALSE(fs::is_symlink(path_));
  EXPECT_EQ(read(folder_ / "target"), "precious");
}

// ---- threads

TEST_F(ResultFileTest, AWatchdogMayFinishWhileRowsAreWritten) {
  const auto file = create();
  std::atomic<int> appended = 0;
  std::atomic<bool> ended = false;
  std::thread rank([&] {
    while (!ended) {
      file->append(example::measured(false));
      ++appended;
    }
  });
  while (appended < 10) std::this_thread::yield();
  constexpr std::array kEnds = {ExitStatus::interrupted, ExitStatus::terminated, ExitStatus::ok};
  std::array<ExitStatus, kEnds.size()> told{};
  std::vector<std::thread> watchdogs;
  for (std::size_t i = 0; i < kEnds.size(); ++i) {
    watchdogs.emplace_back(
        [&, i] { told[i] = file->finish(RunStatus::interrupted, kEnds[i], "a signal"); });
  }
  for (std::thread& watchdog : watchdogs) watchdog.join();
  ended = true;
  rank.join();
  EXPECT_EQ(names(), (std::set<std::string>{"out.json"}));
  const Document document = read_document(path_);
  for (const ExitStatus status : told) {
    EXPECT_EQ(static_cast<int>(status), document.run.exit_status) << "all tell what is in the file";
  }
  EXPECT_EQ(document.run.status, RunStatus::interrupted);
  EXPECT_GE(document.rows.size(), 10U);
  EXPECT_LE(document.rows.size(), static_cast<std::size_t>(appended));
}

// Finishing a document of so many ranks keeps the lock for tens of milliseconds, adding a row for
// microseconds.
TEST_F(ResultFileTest, NobodyWaitsForEver) {
  Document start = example::started();
  start.environment.ranks.resize(5000, start.environment.ranks[0]);
  const auto file = ResultFile::create(path_, start, false, std::chrono::milliseconds(1));
  std::atomic<bool> ended = false;
  std::thread watchdog([&] {
    file->finish(RunStatus::timeout, ExitStatus::deadline);
    ended = true;
  });
  std::string error = "no error";
  while (!ended && error == "no error") {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    try {
      file->append(example::skipped());
    } catch (const SystemError& e) {
      error = e.what();
    }
  }
  watchdog.join();
  EXPECT_EQ(error, path_.string() + ": another thread has been writing for 1 ms without an end");
  EXPECT_FALSE(read_document(path_).incomplete);
}

// ---- what is no result file

TEST_F(ResultFileTest, ReadingWhatIsNotThere) {
  const auto error_of_read = [](const fs::path& path) -> std::string {
    try {
      read_document(path);
    } catch (const UserError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of_read(path_), path_.string() + ": there is no such file");
  EXPECT_EQ(error_of_read(folder_), folder_.string() + ": this is a folder; name the files in it");
  EXPECT_EQ(error_of_read("/dev/zero"), "/dev/zero: this is no regular file");
  write(path_, "");
  EXPECT_EQ(error_of_read(path_), path_.string() + ": the file is empty");
}

}  // namespace
}  // namespace collbench
