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

bool ResultSlot::begin_making() {
  const std::lock_guard lock(mutex_);
  making_ = !ended_without_file_;
  return making_;
}

std::optional<EndCause> ResultSlot::end_making(std::unique_ptr<ResultFile> file) {
  const std::lock_guard lock(mutex_);
  making_ = false;
  file_ = std::move(file);
  made_.notify_all();
  return ended_without_file_;
}

ResultFile* ResultSlot::own(const MakeResultFile& make) {
  if (!begin_making()) return nullptr;
  std::unique_ptr<ResultFile> file;
  try {
    file = make();
  } catch (...) {
    end_making(nullptr);
    throw;
  }
  ResultFile* const owned = file.get();
  if (const auto ended = end_making(std::move(file))) finish_file(*owned, *ended);
  return owned;
}

ExitStatus ResultSlot::finish(const EndCause& cause) {
  std::shared_ptr<ResultFile> file;
  {
    std::unique_lock lock(mutex_);
    made_.wait_for(lock, patience_, [&] { return !making_; });
    file = file_;
    if (!file && !ended_without_file_) ended_without_file_ = cause;
  }
  return file ? finish_file(*file, cause) : cause.status;
}

}  // namespace collbench
