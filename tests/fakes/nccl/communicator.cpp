// SPDX-License-Identifier: Apache-2.0
#include "communicator.h"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "errors.h"
#include "faults.h"
#include "settings.h"
#include "waiting.h"

namespace fakenccl {

std::uint64_t Turns::take() {
  const std::lock_guard lock(mutex_);
  return taken_++;
}

void Turns::give_back() {
  const std::lock_guard lock(mutex_);
  --taken_;
}

void Turns::end(std::optional<std::uint64_t> turn, bool begun) {
  const std::lock_guard lock(mutex_);
  if (begun) running_ = false;
  if (turn) ++done_;
  changed_.notify_all();
}

bool Turns::running() {
  const std::lock_guard lock(mutex_);
  return running_;
}

bool Turns::all_done() {
  const std::lock_guard lock(mutex_);
  return done_ == taken_;
}

ncclResult_t Communicator::join(const ncclUniqueId& id, int rank, int ranks, int origin_rank,
                                const Fault& fault) {
  rank_ = rank;
  ranks_ = ranks;
  origin_rank_ = origin_rank;
  const ncclResult_t result = meet(id, fault);
  state_ = result;
  return result;
}

ncclResult_t Communicator::meet(const ncclUniqueId& id, const Fault& fault) {
  const ncclResult_t opened = segment_.open(id, ranks_);
  if (opened != ncclSuccess) return opened;
  if (me().claimed.exchange(1) != 0) {
    return error(ncclInvalidUsage, "two ranks of a communicator are rank " + std::to_string(rank_));
  }
  double no_stream_s = 0;
  if (!strike(*this, fault, no_stream_s)) return ended();
  introduce();
  const auto all = static_cast<std::uint32_t>(ranks_);
  if (!wait_until(*this, [&] { return header().joined.load() == all; })) {
    return ended();
  }
  forget_id(id);
  return check_gpus();
}

ncclResult_t Communicator::ended() const {
  const ncclResult_t reason = state();
  return reason == ncclInProgress ? ncclInternalError : reason;
}

void Communicator::introduce() {
  Member& mine = me();
  mine.process = this_process();
  mine.device = device_;
  mine.origin_rank = origin_rank_;
  cudaDeviceGetPCIBusId(mine.bus_id, sizeof mine.bus_id, device_);
  std::snprintf(mine.host, sizeof mine.host, "%s", settings().host.c_str());
  mine.joined = 1;
  header().joined.fetch_add(1);
  ring_others(*this);
}

ncclResult_t Communicator::check_gpus() const {
  if (settings().several_ranks_per_gpu) return ncclSuccess;
  for (int a = 0; a < ranks_; ++a) {
    for (int b = a + 1; b < ranks_; ++b) {
      if (std::strcmp(member(a).bus_id, member(b).bus_id) != 0) continue;
      if (std::strcmp(member(a).host, member(b).host) != 0) continue;
      return error(ncclInvalidUsage, "Duplicate GPU detected: rank " + std::to_string(a) +
                                         " and rank " + std::to_string(b) +
                                         " both on CUDA device " + member(a).bus_id);
    }
  }
  return ncclSuccess;
}

ncclResult_t Communicator::state() const {
  const ncclResult_t own = state_.load();
  if (own != ncclSuccess || !segment_.is_open()) return own;
  const auto all = static_cast<ncclResult_t>(header().error.load());
  return all == ncclSuccess && jobs.load() + launches.load() > 0 ? ncclInProgress : all;
}

bool Communicator::broken() const {
  if (work_ended_.load()) return true;
  const ncclResult_t now = state();
  return now != ncclSuccess && now != ncclInProgress;
}

void Communicator::fail(ncclResult_t code) {
  for (ncclResult_t was = state_.load(); was == ncclSuccess || was == ncclInProgress;) {
    if (state_.compare_exchange_weak(was, code)) break;
  }
  if (segment_.is_open()) ring(me().bell);
}

void Communicator::fail_all(ncclResult_t code, const std::string& why) {
  std::int32_t none = ncclSuccess;
  if (header().error.compare_exchange_strong(none, code)) say(why);
  error(code, why);
  ring_others(*this);
}

void Communicator::abort() {
  aborted_ = true;
  end_work();
}

void Communicator::end_work() {
  work_ended_ = true;
  if (segment_.is_open()) ring(me().bell);
  while (turns_.running() || launches.load() > 0) usleep(200);
}

void Communicator::wait_for_end_of_work() const {
  while (!work_ended_.load()) usleep(200);
}

void Communicator::drain() {
  while (!turns_.all_done() && !broken()) usleep(200);
}

void Communicator::leave() {
  if (segment_.is_open()) me().left = 1;
}

}  // namespace fakenccl
