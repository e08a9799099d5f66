// SPDX-License-Identifier: Apache-2.0
#include "measure/peer_processes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace collbench {
namespace {

namespace fs = std::filesystem;

// A /proc of our own.
class FakeProc : public ::testing::Test {
 protected:
  FakeProc() {
    std::string name = (fs::temp_directory_path() / "peersXXXXXX").string();
    root_ = mkdtemp(name.data());
    add({1, 0, "init", 'S', "", ""});
  }
  ~FakeProc() override { fs::remove_all(root_); }

  struct Entry {
    pid_t pid;
    pid_t parent;
    std::string command;
    char state;
    std::string program;
    std::string environment;
    std::string blocked = "0000000000000000";
  };

  void add(const Entry& entry) {
    const fs::path folder = root_ / std::to_string(entry.pid);
    fs::create_directory(folder);
    std::ofstream(folder / "stat") << entry.pid << " (" << entry.command << ") " << entry.state
                                   << " " << entry.parent << " 1 1 0 -1\n";
    std::ofstream(folder / "environ") << entry.environment;
    std::ofstream(folder / "status") << "Name:\tx\nSigBlk:\t" << entry.blocked << "\nSigIgn:\t0\n";
    if (!entry.program.empty()) fs::create_symlink(entry.program, folder / "exe");
  }

  void add_rank(int rank, pid_t pid, pid_t parent, char state = 'R') {
    add({pid, parent, "perf", state, "/bin/perf", environment(rank)});
  }

  static std::string environment(int rank) {
    using namespace std::string_literals;
    return "PMI_RANKS=9\0HOME=/\0PMI_RANK="s + std::to_string(rank) + "\0PMI_SIZE=8\0"s;
  }

  std::vector<PeerProcess> peers_of(pid_t self) { return find_peers({root_.string(), self}); }

  fs::path root_;
};

std::string ranks_and_pids(const std::vector<PeerProcess>& peers) {
  std::string text;
  for (const PeerProcess& peer : peers) {
    text += std::to_string(peer.rank) + ":" + std::to_string(peer.pid) + " ";
  }
  return text;
}

TEST_F(FakeProc, FindsTheRanksOfItsOwnLauncherOnly) {
  add({10, 1, "hydra_pmi_proxy", 'S', "/bin/proxy", ""});
  add_rank(1, 12, 10);
  add_rank(0, 11, 10);
  add({20, 1, "hydra_pmi_proxy", 'S', "/bin/proxy", ""});
  add_rank(2, 21, 20);
  EXPECT_EQ(ranks_and_pids(peers_of(12)), "0:11 1:12 ");
  EXPECT_EQ(ranks_and_pids(peers_of(21)), "2:21 ");
}

// In a Slurm job srun starts mpirun's proxies, which so have a rank, too, and the script has one.
TEST_F(FakeProc, WhatAnotherLauncherStartedIsNoRank) {
  using namespace std::string_literals;
  const std::string job = "SLURM_NTASKS=8\0SLURM_LOCALID=0\0"s;
  const std::string step = job + "SLURM_STEP_ID=0\0SLURM_STEP_NUM_TASKS=2\0"s;
  add({5, 1, "slurmstepd", 'S', "/bin/slurmstepd", ""});
  add({6, 5, "slurm_script", 'S', "/bin/bash", job + "SLURM_STEP_ID=-5\0SLURM_PROCID=0\0"s});
  add({7, 6, "mpirun", 'S', "/bin/mpirun", job + "SLURM_STEP_ID=-5\0SLURM_PROCID=0\0"s});
  add({8, 1, "slurmstepd", 'S', "/bin/slurmstepd", ""});
  add({9, 8, "srun_wrapper", 'S', "/bin/sh", step + "SLURM_PROCID=1\0"s});
  add({10, 9, "hydra_pmi_proxy", 'T', "/bin/proxy", step + "SLURM_PROCID=1\0"s});
  for (const int rank : {4, 5}) {
    const pid_t pid = 11 + rank;
    add({pid, 10, "perf", 'R', "/bin/perf", step + "SLURM_PROCID=1\0"s + environment(rank)});
  }
  EXPECT_EQ(ranks_and_pids(peers_of(15)), "4:15 5:16 ");
  EXPECT_EQ(describe_missing(peers_of(15)), "");
}

TEST_F(FakeProc, AProcessWithoutALauncherHasNoPeers) {
  add({11, 1, "perf", 'R', "/bin/perf", std::string("HOME=/\0", 7)});
  EXPECT_TRUE(peers_of(11).empty());
  EXPECT_TRUE(peers_of(99).empty());
}

TEST_F(FakeProc, TheProgramUnderAWrapperCounts) {
  add({10, 1, "hydra_pmi_proxy", 'S', "/bin/proxy", ""});
  add({11, 10, "wrap.sh", 'S', "/bin/sh", environment(0)});
  add_rank(0, 31, 11);
  add({41, 31, "perf", 'S', "/bin/perf", environment(0)});  // forked by the program
  add({12, 10, "wrap.sh", 'S', "/bin/sh", environment(1)});
  add({32, 12, "sleep", 'S', "/bin/sleep", environment(1)});
  const auto peers = peers_of(31);
  EXPECT_EQ(ranks_and_pids(peers), "0:31 1:12 ");
  EXPECT_EQ(describe_missing(peers),
            "rank 1 (pid 12) has not started the program (it runs wrap.sh)");
}

TEST_F(FakeProc, StoppedRanksAreNamed) {
  add({10, 1, "hydra_pmi_proxy", 'S', "/bin/proxy", ""});
  add_rank(0, 11, 10);
  add_rank(1, 12, 10, 'T');
  add({13, 10, "odd) name (", 't', "/bin/perf", environment(2)});
  EXPECT_EQ(describe_missing(peers_of(11)),
            "rank 1 (pid 12) is stopped, rank 2 (pid 13) is stopped");
}

TEST_F(FakeProc, ReadsWhichSignalsAreBlocked) {
  add({10, 1, "hydra_pmi_proxy", 'S', "/bin/proxy", ""});
  add({11, 10, "perf", 'R', "/bin/perf", environment(0), "0000000200004002"});
  const auto peers = peers_of(11);
  ASSERT_EQ(peers.size(), 1U);
  EXPECT_TRUE(peers[0].blocks_signal(SIGINT));
  EXPECT_TRUE(peers[0].blocks_signal(SIGTERM));
  EXPECT_TRUE(peers[0].blocks_signal(34));
  EXPECT_FALSE(peers[0].blocks_signal(SIGUSR1));
}

TEST(PeerProcesses, NobodyMissing) { EXPECT_EQ(describe_missing({}), ""); }

}  // namespace
}  // namespace collbench
