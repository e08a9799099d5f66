// SPDX-License-Identifier: Apache-2.0
#include "app/output_queue.h"

#include <chrono>
#include <exception>
#include <utility>

#include "base/errors.h"

namespace collbench {

OutputQueue::OutputQueue(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

OutputQueue::~OutputQueue() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void OutputQueue::add(std::string_view text) {
  const std::lock_guard lock(mutex_);
  throw_failure();
  waiting_ += text;
  if (!thread_.joinable()) thread_ = std::thread([this] { write_all(); });
  changed_.notify_all();
}

bool OutputQueue::written_within(double seconds) {
  std::unique_lock lock(mutex_);
  const bool done = changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] {
    return !failure_.empty() || (waiting_.empty() && !writing_);
  });
  throw_failure();
  return done;
}

void OutputQueue::throw_failure() const {
  if (!failure_.empty()) throw SystemError(failure_);
}

void OutputQueue::write_all() {
  std::unique_lock lock(mutex_);
  while (failure_.empty()) {
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::string text = std::exchange(waiting_, "");
    writing_ = true;
    lock.unlock();
    std::string failure;
    try {
      write_(text);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    lock.lock();
    writing_ = false;
    failure_ = failure;
    changed_.notify_all();
  }
}

}  // namespace collbench
