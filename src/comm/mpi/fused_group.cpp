// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/fused_group.h"

#include <algorithm>

#include "comm/mpi/mpi_error.h"

namespace collbench {

void FusedGroup::assign(std::span<const Call> calls, const CallContext& context) {
  context_ = context;
  calls_.assign(calls.begin(), calls.end());
  requests_.clear();
  memory_.clear();
}

void FusedGroup::start() { start(calls_); }

void FusedGroup::start(std::span<Call> calls) {
  for (Call& call : calls) {
    requests_.push_back(collbench::start(call, context_, memory_.emplace_back()));
  }
}

void FusedGroup::start_with_blocking_collective() {
  if (std::count_if(calls_.begin(), calls_.end(), is_collective) != 1) return start();
  const auto collective = std::find_if(calls_.begin(), calls_.end(), is_collective);
  std::rotate(collective, collective + 1, calls_.end());
  start(std::span(calls_).first(calls_.size() - 1));
  run_blocking(calls_.back(), context_);
  calls_.pop_back();
}

bool FusedGroup::test() {
  int done = 0;
  COLLBENCH_MPI_CHECK(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done,
                                  MPI_STATUSES_IGNORE));
  if (done != 0) finish();
  return done != 0;
}

void FusedGroup::wait() {
  COLLBENCH_MPI_CHECK(
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  finish();
}

void FusedGroup::finish() {
  for (const Call& call : calls_) collbench::finish(call, context_);
  memory_.clear();
}

}  // namespace collbench
