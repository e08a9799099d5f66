// SPDX-License-Identifier: Apache-2.0
// Order: which operations of one rank are certain to be done before which others start.
#pragma once

#include <vector>

#include "plan/plan.h"

namespace collbench::plan {

/// Grows with a list of operations, which it takes in issue order.
///
/// Each operation has a clock: how many operations of each stream are done before it starts, by
/// its stream, by `after` and by waits of the host, all of them transitively.
class Order {
 public:
  /// The next operation of the list.
  void append(const Op& op);

  /// Whether `earlier` is done before `later` starts; both have been appended.
  bool is_before(OpIndex earlier, OpIndex later) const;

  /// Whether `earlier` would be done before an operation that is appended now starts.
  bool is_before_next(OpIndex earlier, const Op& next) const;

 private:
  using Clock = std::vector<OpIndex>;  // by stream; shorter means zeros

  Clock start_of(const Op& op) const;
  bool has_passed(const Clock& clock, OpIndex op) const;

  struct Place {
    int stream;
    OpIndex number;  // on its stream, from 1; 0: a wait, which is on none
    Clock start;
  };

  std::vector<Place> places_;
  std::vector<Clock> done_;  // by stream: what is done when its last operation is
  Clock host_;               // what is done whenever the host issues anything more
};

}  // namespace collbench::plan
