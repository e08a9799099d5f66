// SPDX-License-Identifier: Apache-2.0
#include "comm/rank_team.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/errors.h"
#include "comm/patience.h"

namespace collbench {

class RankTeam::Member final : public ControlPlane {
 public:
  Member(RankTeam& team, int thread) : team_(team), thread_(thread) {}

  int rank() const override { return team_.processes_.rank() * threads() + thread_; }
  int size() const override { return team_.processes_.size() * threads(); }

  void barrier() override { team_.join(thread_, {Operation::barrier, 0, nullptr, nullptr}); }
  void all_gather_bytes(const void* mine, Bytes each, void* all) override {
    team_.join(thread_, {Operation::all_gather, each, mine, all});
  }
  void broadcast_bytes(void* data, Bytes bytes) override {
    team_.join(thread_, {Operation::broadcast, bytes, data, data});
  }

 private:
  int threads() const { return static_cast<int>(team_.members_.size()); }

  RankTeam& team_;
  int thread_;
};

namespace {

void check_same_threads(ControlPlane& processes, int threads) {
  const std::vector<int> all = processes.all_gather(threads);
  const auto other = std::find_if(all.begin(), all.end(), [&](int t) { return t != all.front(); });
  if (other == all.end()) return;
  throw SystemError(
      fmt::format("process {} has {} rank threads and process 0 has {}: start all processes of a "
                  "run with the same arguments",
                  other - all.begin(), *other, all.front()));
}

}  // namespace

RankTeam::RankTeam(ControlPlane& processes, int threads) : processes_(processes) {
  check_same_threads(processes, threads);
  for (int thread = 0; thread < threads; ++thread) {
    members_.push_back(std::make_unique<Member>(*this, thread));
  }
  parts_.resize(members_.size());
}

RankTeam::~RankTeam() = default;

ControlPlane& RankTeam::control_plane(int thread) {
  return *members_.at(static_cast<std::size_t>(thread));
}

// A part is written before its thread arrives and read after the last has; the failure is written
// before the operation is done, and a thread that reads it keeps the next operation from starting.
void RankTeam::join(int thread, const Part& part) {
  parts_[static_cast<std::size_t>(thread)] = part;
  const std::uint64_t done_before = operations_done_;
  if (++arrived_ == static_cast<int>(members_.size())) {
    arrived_ = 0;
    run_for_all();
    ++operations_done_;
  } else {
    Patience patience(WaitPolicy::automatic);
    while (operations_done_ == done_before) patience.pause();
  }
  if (failure_) std::rethrow_exception(failure_);
}

void RankTeam::run_for_all() {
  failure_ = nullptr;
  try {
    check_same_operation();
    switch (parts_.front().operation) {
      case Operation::barrier:
        return processes_.barrier();
      case Operation::all_gather:
        return run_all_gather();
      case Operation::broadcast:
        return run_broadcast();
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
}

// A difference is an error of this program, and would show as wrong numbers without this check.
void RankTeam::check_same_operation() const {
  const Part& first = parts_.front();
  for (std::size_t thread = 1; thread < parts_.size(); ++thread) {
    const Part& part = parts_[thread];
    if (part.operation == first.operation && part.bytes == first.bytes) continue;
    throw SystemError(
        fmt::format("internal error: rank threads 0 and {} of one process disagree about the next "
                    "operation of the control plane",
                    thread));
  }
}

void RankTeam::run_all_gather() {
  const Bytes each = parts_.front().bytes;
  std::vector<std::byte> mine(each * parts_.size());
  for (std::size_t thread = 0; thread < parts_.size(); ++thread) {
    if (each != 0) std::memcpy(mine.data() + thread * each, parts_[thread].in, each);
  }
  void* all = parts_.front().out;
  processes_.all_gather_bytes(mine.data(), mine.size(), all);
  const Bytes bytes_of_all = mine.size() * static_cast<Bytes>(processes_.size());
  for (std::size_t thread = 1; thread < parts_.size(); ++thread) {
    if (each != 0) std::memcpy(parts_[thread].out, all, bytes_of_all);
  }
}

// Rank 0 of the run is thread 0 of process 0.
void RankTeam::run_broadcast() {
  const Part& first = parts_.front();
  processes_.broadcast_bytes(first.out, first.bytes);
  for (std::size_t thread = 1; thread < parts_.size(); ++thread) {
    if (first.bytes != 0) std::memcpy(parts_[thread].out, first.out, first.bytes);
  }
}

}  // namespace collbench
