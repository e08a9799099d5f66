// SPDX-License-Identifier: Apache-2.0
// OutputQueue: text on its way to stdout, which a thread of its own writes.
//
// A reader who pages, or a terminal that was stopped, holds up that thread and not the measurement,
// whose other ranks would take the silence for a rank that hangs.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace collbench {

class OutputQueue {
 public:
  /// `write` writes a text out, however long that takes; it may throw SystemError.
  explicit OutputQueue(std::function<void(std::string_view)> write);
  /// Waits until everything is written, or cannot be.
  ~OutputQueue();
  OutputQueue(const OutputQueue&) = delete;
  OutputQueue& operator=(const OutputQueue&) = delete;

  /// Returns at once. Throws SystemError when a text before could not be written; nothing is
  /// written after that.
  void add(std::string_view text);

  /// Waits until everything is written, but not longer than this; whether it is. Throws SystemError
  /// when it cannot be.
  bool written_within(double seconds);

 private:
  void write_all();
  void throw_failure() const;

  const std::function<void(std::string_view)> write_;
  std::mutex mutex_;  // guards what is below
  std::condition_variable changed_;
  std::string waiting_;
  bool writing_ = false;
  bool closed_ = false;
  std::string failure_;
  std::thread thread_;  // runs from the first text on
};

}  // namespace collbench
