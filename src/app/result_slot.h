// SPDX-License-Identifier: Apache-2.0
// ResultSlot: rank 0's result file, which the rank's thread makes and it or its watchdog finishes.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "measure/watchdog.h"
#include "results/result_file.h"

namespace collbench {

/// Thread-safe. The first to finish decides, also when it comes before the file: a watchdog that
/// ends the run takes a moment to do so, while the rank's thread goes on and may make the file.
class ResultSlot {
 public:
  /// Takes over the file, and finishes it at once where the run has ended before. Throws what
  /// ResultFile::finish throws.
  ResultFile& own(std::unique_ptr<ResultFile> file);

  /// Returns the status in the file, which is that of the first call; without a file that of
  /// `cause`. Throws what ResultFile::finish throws.
  ExitStatus finish(const EndCause& cause);

 private:
  std::mutex mutex_;  // not kept while a file is written: a disk that hangs must hold up nobody
  std::shared_ptr<ResultFile> file_;
  std::optional<EndCause> ended_without_file_;
};

}  // namespace collbench
