// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_stream.h"

#include <exception>

namespace collbench {

HostStream::HostStream(std::shared_ptr<HostEngine> engine) : engine_(std::move(engine)) {
  engine_->add(*this);
}

HostStream::~HostStream() {
  try {
    if (std::uncaught_exceptions() == 0) synchronize();
  } catch (const std::exception&) {
    queue_.clear();  // whoever wanted to know of failures has synchronized before
  }
  engine_->remove(*this);
}

bool HostStream::query() {
  if (!queue_.empty()) engine_->progress_politely();
  return queue_.empty();
}

void HostStream::synchronize() {
  engine_->wait_until([this] { return queue_.empty(); });
}

void HostStream::enqueue(std::unique_ptr<Work> work) {
  if (engine_->mode() != HostMode::queued) return engine_->run(*work);
  queue_.push_back(std::move(work));
  engine_->progress();
}

bool HostStream::progress() {
  bool any = false;
  while (!queue_.empty()) {
    const Step step = advance_front();
    if (step == Step::waiting) return any;
    any = true;
    if (step == Step::worked) return any;
  }
  return any;
}

Step HostStream::advance_front() {
  try {
    const Step step = queue_.front()->advance();
    if (step == Step::done) queue_.pop_front();
    return step;
  } catch (...) {
    queue_.pop_front();  // so that its error is thrown once
    throw;
  }
}

bool HostEvent::query() {
  if (!latest_) return false;
  if (!latest_->passed) engine_->progress_politely();
  return latest_->passed;
}

void HostEvent::record(HostStream& stream) {
  // Streams may still wait for the earlier point, so that it must not be used again.
  latest_ = std::make_shared<StreamPoint>();
  stream.enqueue(std::make_unique<PassPoint>(latest_, engine_->clock()));
}

void HostEvent::hold_up(HostStream& stream) const {
  if (latest_ && !latest_->passed) stream.enqueue(std::make_unique<AwaitPoint>(latest_));
}

}  // namespace collbench
