// SPDX-License-Identifier: Apache-2.0
#include "measure/progress.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace collbench {
namespace {

double late_from_s(const Progress::Step& step) {
  return step.limit_s > 0 ? step.entered_s + step.limit_s : std::numeric_limits<double>::infinity();
}

}  // namespace

Progress::Progress(Progress& process, int rank)
    : clock_(process.clock_), process_(&process), rank_(rank) {
  const std::lock_guard lock(process.mutex_);
  step_ = process.step_;
  step_.rank = rank;
  process.threads_.push_back(this);
}

Progress::~Progress() {
  if (process_ == nullptr) return;
  const std::lock_guard lock(process_->mutex_);
  std::erase(process_->threads_, this);
}

void Progress::enter(const std::string& what, double limit_s) {
  const double now_s = clock_.now_s();
  const std::lock_guard lock(mutex_);
  step_ = {what, now_s, limit_s, rank_};
}

Progress::Step Progress::step() const {
  const std::lock_guard lock(mutex_);
  Step first = step_;
  for (const Progress* thread : threads_) {
    Step other = thread->step();
    if (late_from_s(other) < late_from_s(first)) first = std::move(other);
  }
  return first;
}

}  // namespace collbench
