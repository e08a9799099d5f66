// SPDX-License-Identifier: Apache-2.0
// Tests of result files on a real file system, in every state that a kill or a full disk leaves.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <set>

#include "results/example_document.h"
#include "results/json.h"
#include "results/result_test_folder.h"

namespace {
bool folders_cannot_be_synchronized = false;
}

// In place of the system's, for the one failure that no file system here can be brought to.
extern "C" int fsync(int descriptor) {
  struct stat status;
  if (folders_cannot_be_synchronized && fstat(descriptor, &status) == 0 &&
      S_ISDIR(status.st_mode)) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace collbench {
namespace {

class ResultFileFailureTest : public testing::Test, protected ResultFolder {};

Document with_rows(Document document, std::vector<Record> rows) {
  document.rows = std::move(rows);
  return document;
}

// ---- kills

TEST_F(ResultFileFailureTest, AKillAfterARowLosesNothing) {
  const int status = in_child([&] {
    const auto file = create();
    file->append(example::measured(false));
    file->append(example::measured(true));
    raise(SIGKILL);
  });
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  Document expected =
      with_rows(example::started(), {example::measured(false), example::measured(true)});
  expected.incomplete = true;
  EXPECT_EQ(read_document(path_), expected);
}

TEST_F(ResultFileFailureTest, AKillInsideARowLosesThatRowOnly) {
  const std::string line = to_json_line(example::measured(true)) + "\n";
  create()->append(example::measured(false));
  const std::string whole = read(rows_);
  for (const std::size_t length : {std::size_t{1}, line.size() / 2, line.size() - 1}) {
    write(rows_, whole + line.substr(0, length));
    EXPECT_EQ(read_document(path_).rows, std::vector{example::measured(false)}) << length;
    EXPECT_TRUE(read_document(path_).incomplete);
  }
  write(rows_, whole + line);
  EXPECT_EQ(read_document(path_).rows.size(), 2U);
}

TEST_F(ResultFileFailureTest, AKillBeforeTheRenameLeavesTheRows) {
  create()->append(example::measured(false));
  write(folder_ / "out.json.1.0.tmp", to_json(example::ended()).substr(0, 1000));
  EXPECT_EQ(read_document(path_).rows, std::vector{example::measured(false)});
  create(true)->finish(RunStatus::complete, ExitStatus::ok);
  EXPECT_EQ(names(), (std::set<std::string>{"out.json", "out.json.1.0.tmp"}));
}

// Whoever wrote them, and whatever these names are taken for.
TEST_F(ResultFileFailureTest, FilesWithTheNamesOfTemporaryOnesStay) {
  const std::set<std::string> precious = {"out.json.tmp",
                                          "out.json." + std::to_string(getpid()) + ".0.tmp"};
  for (const std::string& name : precious) write(folder_ / name, "precious");
  create()->finish(RunStatus::complete, ExitStatus::ok);
  for (const std::string& name : precious) EXPECT_EQ(read(folder_ / name), "precious") << name;
  EXPECT_EQ(names().size(), precious.size() + 1);
  EXPECT_EQ(read_document(path_).run.status, RunStatus::complete);
}

TEST_F(ResultFileFailureTest, AKillAfterTheRenameCountsNoRowTwice) {
  const auto file = create();
  file->append(example::measured(false));
  const std::string rows = read(rows_);
  file->finish(RunStatus::complete, ExitStatus::ok);
  write(rows_, rows);
  EXPECT_EQ(read_document(path_).rows.size(), 1U);
  EXPECT_FALSE(read_document(path_).incomplete);
}

TEST_F(ResultFileFailureTest, AKillBeforeTheFirstDocument) {
  write(rows_, "");
  EXPECT_THROW(read_document(path_), UserError);
  EXPECT_EQ(error_of_create(path_, true), "no error");
}

TEST_F(ResultFileFailureTest, DamageInsideTheRowsIsNamed) {
  create()->append(example::measured(false));
  write(rows_, read(rows_) + "{\"collective\":7}\n" + read(rows_));
  try {
    read_document(path_);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_EQ(e.what(), rows_.string() + ", line 2: /collective: expected a string, found 7");
  }
}

// ---- a full disk

/// Files of this process may grow to `bytes`, as if the disk were full then.
void limit_files(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(98);
}

/// What a write says then.
std::string no_room(const fs::path& path) {
  return path.string() + ": write failed: File too large";
}

/// Work in a child process, on such a disk.
int with_limit(rlim_t bytes, const std::function<void()>& work) {
  return in_child([&] {
    limit_files(bytes);
    work();
  });
}

TEST_F(ResultFileFailureTest, AFullDiskAtARowLeavesTheRowsBefore) {
  const std::size_t row_bytes = to_json_line(example::measured(false)).size() + 1;
  const std::size_t file_bytes = to_json(example::started()).size();
  const auto room = std::max(row_bytes * 5 / 2, file_bytes);
  const std::size_t fitting = room / row_bytes;
  const int status = with_limit(room, [&] {
    const auto file = create();
    for (std::size_t i = 0; i < fitting; ++i) file->append(example::measured(false));
    try {
      file->append(example::measured(false));
    } catch (const SystemError& e) {
      _exit(e.what() == rows_.string() + ": write failed: File too large" ? 7 : 8);
    }
  });
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(fs::file_size(rows_), fitting * row_bytes);
  EXPECT_EQ(read_document(path_).rows.size(), fitting);
}

TEST_F(ResultFileFailureTest, AFullDiskAtTheEndLeavesBothFiles) {
  const std::size_t file_bytes = to_json(example::started()).size();
  const int status = with_limit(file_bytes + 100, [&] {
    const auto file = create();
    file->append(example::measured(false));
    try {
      file->finish(RunStatus::complete, ExitStatus::ok);
    } catch (const SystemError& e) {
      _exit(e.what() == no_room(path_) ? 7 : 8);
    }
  });
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(names(), (std::set<std::string>{"out.json", "out.json.rows"}));
  Document expected = with_rows(example::started(), {example::measured(false)});
  expected.incomplete = true;
  EXPECT_EQ(read_document(path_), expected);
}

TEST_F(ResultFileFailureTest, AFullDiskAtTheStartLeavesNothing) {
  const int status = with_limit(100, [&] {
    const std::string error = error_of_create(path_);
    _exit(error == no_room(path_) + "; choose a file that can be written" ? 7 : 8);
  });
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(names(), std::set<std::string>{});
}

TEST_F(ResultFileFailureTest, AFailedFinishCanBeTriedAgain) {
  const int status = in_child([&] {
    const auto file = create();
    file->append(example::measured(false));
    limit_files(to_json(example::started()).size() + 100);
    try {
      file->finish(RunStatus::complete, ExitStatus::ok);
    } catch (const SystemError&) {
      if (!read_document(path_).incomplete) _exit(6);
      limit_files(RLIM_INFINITY);
      _exit(static_cast<int>(file->finish(RunStatus::error, ExitStatus::system_error, "no room")));
    }
  });
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(ExitStatus::system_error));
  EXPECT_EQ(read_document(path_).run.status, RunStatus::error);
  EXPECT_EQ(read_document(path_).run.message, "no room");
  EXPECT_EQ(names(), (std::set<std::string>{"out.json"}));
}

// The file is replaced already when these fail, so it tells how the run ended and nothing may
// differ.

TEST_F(ResultFileFailureTest, RowsThatCannotBeRemovedDoNotMatter) {
  const auto file = create();
  file->append(example::measured(false));
  fs::remove(rows_);
  fs::create_directory(rows_);  // as hard to unlink as a file in a folder that lost its permission
  EXPECT_EQ(file->finish(RunStatus::complete, ExitStatus::ok), ExitStatus::ok);
  EXPECT_EQ(file->finish(RunStatus::error, ExitStatus::system_error), ExitStatus::ok);
  EXPECT_TRUE(fs::exists(rows_));
  const Document document = read_document(path_);
  EXPECT_EQ(document.run.exit_status, 0);
  EXPECT_EQ(document.rows, std::vector{example::measured(false)});
  EXPECT_FALSE(document.incomplete);
}

TEST_F(ResultFileFailureTest, AFolderThatTheDiskRefusesKeepsTheRowsToo) {
  const auto file = create();
  file->append(example::measured(false));
  folders_cannot_be_synchronized = true;
  const ExitStatus status = file->finish(RunStatus::complete, ExitStatus::ok);
  folders_cannot_be_synchronized = false;
  EXPECT_EQ(status, ExitStatus::ok);
  EXPECT_EQ(names(), (std::set<std::string>{"out.json", "out.json.rows"}));
  EXPECT_EQ(read_document(path_).run.status, RunStatus::complete);
  EXPECT_EQ(read_document(path_).rows, std::vector{example::measured(false)});
}

TEST_F(ResultFileFailureTest, ARowThatIsNotFiniteIsRefusedAndTheFilesStay) {
  const auto file = create();
  Record row = example::measured(false);
  row.timing->median_s = 1.0 / 0.0;
  EXPECT_THROW(file->append(row), std::logic_error);
  EXPECT_EQ(file->finish(RunStatus::complete, ExitStatus::ok), ExitStatus::ok);
  EXPECT_TRUE(read_document(path_).rows.empty());
}

}  // namespace
}  // namespace collbench
