// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_work.h"

#include <algorithm>

namespace collbench {
namespace {

// Short enough that communication beside it hardly waits (100 tests per message of some
// milliseconds reach the best overlap), long enough that the tests cost little.
constexpr double kSlice_s = 75e-6;

}  // namespace

Step PassPoint::advance() {
  point_->time_s = clock_.now_s();
  point_->passed = true;
  return Step::done;
}

Step SlicedWork::advance() {
  if (left_ == 0) return Step::done;
  const Count count = std::min(left_, slice_);
  handle_(first_, count);
  first_ += count;
  left_ -= count;
  return Step::worked;
}

Step BusyWork::advance() {
  if (left_s_ <= 0) return Step::done;
  const double start_s = clock_.now_s();
  const double end_s = start_s + std::min(left_s_, kSlice_s);
  double now_s = start_s;
  do {  // at least once: what is left may be too little to change a time
    now_s = clock_.now_s();
  } while (now_s < end_s);
  left_s_ -= now_s - start_s;
  return Step::worked;
}

}  // namespace collbench
