// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_engine.h"

#include <sched.h>

#include <stdexcept>

#include "comm/mpi/host_stream.h"

namespace collbench {

HostMode host_mode(bool one_stream, WaitPolicy policy) {
  if (!one_stream) return HostMode::queued;
  return policy == WaitPolicy::spin ? HostMode::blocking : HostMode::direct;
}

void HostEngine::add(HostStream& stream) {
  if (mode_ != HostMode::queued && !streams_.empty()) {
    throw std::logic_error("a second stream, though the device was made for one stream only");
  }
  streams_.push_back(&stream);
}

void HostEngine::remove(HostStream& stream) noexcept { std::erase(streams_, &stream); }

bool HostEngine::progress() {
  bool any = false;
  for (HostStream* stream : streams_) any |= stream->progress();
  return any;
}

void HostEngine::progress_politely() {
  if (!progress() && policy_ != WaitPolicy::spin) sched_yield();
}

void HostEngine::run(Work& work) {
  Patience patience(policy_);
  for (;;) {
    const Step step = work.advance();
    if (step == Step::done) return;
    if (step == Step::waiting) patience.pause();
  }
}

}  // namespace collbench
