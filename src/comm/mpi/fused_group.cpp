// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/fused_group.h"

#include <algorithm>

#include "base/errors.h"
#include "comm/mpi/mpi_error.h"

namespace collbench {

void FusedGroup::assign(std::span<const Call> calls, const CallContext& context) {
  context_ = context;
  calls_.assign(calls.begin(), calls.end());
  requests_.clear();
  memory_.clear();
  later_.clear();
  next_later_ = 0;
}

void FusedGroup::start() { start(calls_); }

void FusedGroup::start(std::span<Call> calls) {
  for (Call& call : calls) {
    if (call.count <= context_.always_whole && later_.empty()) {
      start_one(call);
    } else {
      start_large(call);
    }
  }
  start_later();
}

void FusedGroup::start_one(Call& call) {
  requests_.push_back(collbench::start(call, context_, memory_.emplace_back()));
}

// Messages never wait: another rank may need one before it comes to the collective.
void FusedGroup::start_large(Call& call) {
  switch (form_of(call, context_.size, /*nonblocking=*/true, context_.limits)) {
    case CallForm::whole:
      if (is_collective(call) && !later_.empty()) return later_.push_back(call);
      return start_one(call);
    case CallForm::pieces:
      for (Call& piece : pieces_of(call, context_.limits)) {
        if (is_collective(call)) {
          later_.push_back(piece);
        } else {
          start_one(piece);
        }
      }
      return;
    case CallForm::messages:
      return start_messages(call, context_, requests_);
    case CallForm::impossible:
      throw SystemError(why_impossible(call, context_.limits));
  }
}

// True when nothing waits any more.
bool FusedGroup::start_later() {
  while (!all_started()) {
    int done = 0;
    COLLBENCH_MPI_CHECK(MPI_Test(&latest_, &done, MPI_STATUS_IGNORE));
    if (done == 0) return false;
    memory_of_latest_ = {};
    latest_ = collbench::start(later_[next_later_++], context_, memory_of_latest_);
  }
  if (latest_ != MPI_REQUEST_NULL) requests_.push_back(latest_);
  latest_ = MPI_REQUEST_NULL;
  return true;
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
  if (!start_later()) return false;
  int done = 0;
  COLLBENCH_MPI_CHECK(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done,
                                  MPI_STATUSES_IGNORE));
  if (done != 0) finish();
  return done != 0;
}

void FusedGroup::wait() {
  while (!start_later()) COLLBENCH_MPI_CHECK(MPI_Wait(&latest_, MPI_STATUS_IGNORE));
  COLLBENCH_MPI_CHECK(
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  finish();
}

void FusedGroup::finish() {
  for (const Call& call : calls_) collbench::finish(call, context_);
  memory_.clear();
  memory_of_latest_ = {};
}

}  // namespace collbench
