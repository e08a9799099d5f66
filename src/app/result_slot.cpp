// SPDX-License-Identifier: Apache-2.0
#include "app/result_slot.h"

#include <utility>

namespace collbench {
namespace {

RunStatus run_status_of(ExitStatus status) {
  switch (status) {
    case ExitStatus::user_error:
    case ExitStatus::system_error:
      return RunStatus::error;
    case ExitStatus::deadline:
      return RunStatus::timeout;
    case ExitStatus::interrupted:
    case ExitStatus::terminated:
      return RunStatus::interrupted;
    case ExitStatus::ok:
    case ExitStatus::verdict_failed:
    case ExitStatus::wrong_data:
    case ExitStatus::inconclusive:
      return RunStatus::complete;
  }
  return RunStatus::error;
}

ExitStatus finish_file(ResultFile& file, const EndCause& cause) {
  return file.finish(run_status_of(cause.status), cause.status, cause.message);
}

}  // namespace

ResultFile& ResultSlot::own(std::unique_ptr<ResultFile> file) {
  ResultFile& owned = *file;
  std::optional<EndCause> ended;
  {
    const std::lock_guard lock(mutex_);
    file_ = std::move(file);
    ended = ended_without_file_;
  }
  if (ended) finish_file(owned, *ended);
  return owned;
}

ExitStatus ResultSlot::finish(const EndCause& cause) {
  std::shared_ptr<ResultFile> file;
  {
    const std::lock_guard lock(mutex_);
    file = file_;
    if (!file && !ended_without_file_) ended_without_file_ = cause;
  }
  return file ? finish_file(*file, cause) : cause.status;
}

}  // namespace collbench
