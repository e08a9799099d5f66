// SPDX-License-Identifier: Apache-2.0
// Point: a moment in the work of a stream, which others wait for.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace fakecuda {

/// Open until the item that it stands for has run; then it has a time. Every item has one, so
/// events, synchronisation and order between streams are all "wait for a point".
class Point {
 public:
  bool done() const { return done_.load(std::memory_order_acquire); }

  /// In seconds, on the clock of the stream. Only of one that is done.
  double time_s() const { return time_s_; }

  void finish(double time_s) {
    {
      const std::lock_guard lock(mutex_);
      time_s_ = time_s;
      done_.store(true, std::memory_order_release);
    }
    changed_.notify_all();
  }

  /// To use it once more; nobody else may know it.
  void reopen() { done_.store(false, std::memory_order_relaxed); }

  double wait() const {
    if (!done()) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return done(); });
    }
    return time_s_;
  }

  /// Whether it is done, after at most so long.
  bool wait_for(double seconds) const {
    if (done()) return true;
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                             [this] { return done(); });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::atomic<bool> done_ = false;
  double time_s_ = 0;
};

using PointPtr = std::shared_ptr<Point>;

}  // namespace fakecuda
