// SPDX-License-Identifier: Apache-2.0
#include "import/result_set.h"

#include <gtest/gtest.h>

#include "results/json.h"
#include "results/result_test_folder.h"

namespace collbench {
namespace {

class ResultSet : public ResultFolder, public testing::Test {
 protected:
  void write_run(const std::string& name, const std::string& id) {
    Document document = example::ended();
    document.run.id = id;
    write(folder_ / name, to_json(document));
  }

  std::string error_of(const fs::path& path) {
    try {
      read_results(path);
    } catch (const UserError& e) {
      return e.what();
    }
    return "no error";
  }
};

TEST_F(ResultSet, OneFileIsOneRun) {
  write(path_, to_json(example::ended()));
  EXPECT_EQ(read_results(path_), std::vector{example::ended()});
}

TEST_F(ResultSet, FolderIsItsFilesByName) {
  write_run("b.json", "second");
  write_run("a.json", "first");
  write_run("c.json", "third");
  write(folder_ / "notes.txt", "not a result");
  fs::create_directory(folder_ / "more.json");
  const std::vector<Document> runs = read_results(folder_);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].run.id, "first");
  EXPECT_EQ(runs[1].run.id, "second");
  EXPECT_EQ(runs[2].run.id, "third");
}

TEST_F(ResultSet, RunThatWasKilledIsJoinedWithItsRows) {
  write(path_, to_json(example::started()));
  write(rows_, to_json_line(example::measured(false)) + "\n");
  const std::vector<Document> runs = read_results(folder_);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_TRUE(runs[0].incomplete);
  EXPECT_EQ(runs[0].rows, std::vector{example::measured(false)});
}

TEST_F(ResultSet, MergedFileHasItsRunsAndNoFileOfRows) {
  Document killed = example::started();
  killed.rows = {example::measured(false)};
  killed.incomplete = true;
  write(rows_, to_json_line(example::measured(true)) + "\n");  // of another run
  for (const std::vector<Document>& runs :
       {std::vector{killed}, std::vector{example::ended(), killed}}) {
    write(path_, set_to_json(runs));
    EXPECT_EQ(read_results(path_), runs);
  }
}

TEST_F(ResultSet, FolderWithoutResultsIsRefused) {
  write(folder_ / "notes.txt", "");
  EXPECT_EQ(error_of(folder_),
            folder_.string() + ": this folder has no *.json; name the files themselves");
}

TEST_F(ResultSet, FileThatCannotBeReadIsNamed) {
  write_run("a.json", "first");
  write(folder_ / "b.json", "{");
  EXPECT_EQ(error_of(folder_),
            (folder_ / "b.json").string() + ": the JSON text ends too early: the file is cut off");
  EXPECT_EQ(error_of(folder_ / "c.json"),
            (folder_ / "c.json").string() + ": there is no such file");
}

}  // namespace
}  // namespace collbench
