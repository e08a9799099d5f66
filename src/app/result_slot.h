// SPDX-License-Identifier: Apache-2.0
// ResultSlot: rank 0's result file, which the rank's thread makes and it or its watchdog finishes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "measure/watchdog.h"
#include "results/result_file.h"

namespace collbench {

using MakeResultFile = std::function<std::unique_ptr<ResultFile>()>;

/// Thread-safe. The first to finish decides, also when it comes before the file: a watchdog that
/// ends the run takes a moment to do so, while the rank's thread goes on and may make the file.
class ResultSlot {
 public:
  /// How long finish() waits for a file that is being made: a disk may hang.
  explicit ResultSlot(std::chrono::milliseconds patience = std::chrono::seconds(2))
      : patience_(patience) {}

  /// Makes the file and keeps it; nullptr, and no file, where the run has ended before. A file that
  /// took longer than the patience of a finish() is finished at once. Throws what `make` and
  /// ResultFile::finish throw.
  ResultFile* own(const MakeResultFile& make);

  /// Returns the status in the file, which is that of the first call; without a file that of
  /// `cause`. Throws what ResultFile::finish throws.
  ExitStatus finish(const EndCause& cause);

 private:
  bool begin_making();
  // Nothing where making has failed. Returns how the run ended meanwhile.
  std::optional<EndCause> end_making(std::unique_ptr<ResultFile> file);

  const std::chrono::milliseconds patience_;
  std::mutex mutex_;  // not kept while a file is written: a disk that hangs must hold up nobody
  std::condition_variable made_;
  bool making_ = false;
  std::shared_ptr<ResultFile> file_;
  std::optional<EndCause> ended_without_file_;
};

}  // namespace collbench
