// SPDX-License-Identifier: Apache-2.0
#include "rank_processes.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

extern char** environ;

namespace fakenccl::test {
namespace {

constexpr std::chrono::seconds kDeadline{30};
constexpr const char* kMark = "--rank-program";

std::string hex(const ncclUniqueId& id) {
  std::string text;
  for (const char byte : id.internal) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
    text += digits;
  }
  return text;
}

ncclUniqueId id_of(const std::string& text) {
  ncclUniqueId id;
  for (std::size_t i = 0; i < sizeof id.internal; ++i) {
    id.internal[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  }
  return id;
}

struct Child {
  pid_t pid;
  int output;
};

Child start(std::vector<std::string> arguments, const Variables& environment) {
  const int output = memfd_create("output", MFD_CLOEXEC);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (std::string& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
  };
  Child child{0, output};
  const int bad = posix_spawn(&child.pid, "/proc/self/exe", &files, nullptr,
                              pointers(arguments).data(), pointers(variables).data());
  EXPECT_EQ(bad, 0);
  posix_spawn_file_actions_destroy(&files);
  return child;
}

Ended finish(const Child& child, std::chrono::steady_clock::time_point deadline) {
  int status = 0;
  while (waitpid(child.pid, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << "a rank did not end";
      kill(child.pid, SIGKILL);
      waitpid(child.pid, &status, 0);
      break;
    }
    usleep(1000);
  }
  Ended ended{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), ""};
  ended.output.resize(static_cast<std::size_t>(lseek(child.output, 0, SEEK_END)));
  EXPECT_EQ(pread(child.output, ended.output.data(), ended.output.size(), 0),
            static_cast<ssize_t>(ended.output.size()));
  close(child.output);
  return ended;
}

/// argv: the mark, the program, rank, ranks, id.
int run_program(char** argv) {
  const Place place{std::atoi(argv[3]), std::atoi(argv[4]), id_of(argv[5])};
  const int status = rank_programs().at(argv[2])(place);
  std::fflush(nullptr);
  // As a program that has been told to end does: detached workers may still run.
  _exit(testing::Test::HasFailure() ? 1 : status);
}

}  // namespace

std::map<std::string, RankProgram>& rank_programs() {
  static std::map<std::string, RankProgram> programs;
  return programs;
}

std::vector<Ended> run_ranks(const std::string& program, int ranks, const Variables& environment) {
  ncclUniqueId id;
  EXPECT_NCCL(ncclGetUniqueId(&id));
  std::vector<Child> children;
  for (int rank = 0; rank < ranks; ++rank) {
    children.push_back(
        start({"rank", kMark, program, std::to_string(rank), std::to_string(ranks), hex(id)},
              environment));
  }
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  std::vector<Ended> ended;
  for (const Child& child : children) ended.push_back(finish(child, deadline));
  return ended;
}

Rank join(const Place& place) {
  Rank self{place.rank, place.ranks, nullptr, nullptr};
  EXPECT_CUDA(cudaSetDevice(place.rank));
  EXPECT_CUDA(cudaStreamCreateWithFlags(&self.stream, cudaStreamNonBlocking));
  EXPECT_NCCL(ncclCommInitRank(&self.comm, place.ranks, place.id, place.rank));
  return self;
}

void leave(const Rank& rank) {
  EXPECT_NCCL(ncclCommDestroy(rank.comm));
  EXPECT_CUDA(cudaStreamDestroy(rank.stream));
}

}  // namespace fakenccl::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc == 6 && std::strcmp(argv[1], fakenccl::test::kMark) == 0)
    return fakenccl::test::run_program(argv);
  return RUN_ALL_TESTS();
}
