// SPDX-License-Identifier: Apache-2.0
// SlotImage: which test data the bytes of a slot are.
#pragma once

#include <optional>
#include <vector>

#include "plan/plan.h"
#include "replay/terms.h"

namespace collbench::replay {

/// Bytes that lie side by side: elements of one term's tensor, from the `first`, or of nothing that
/// is known.
struct Segment {
  Bytes bytes = 0;
  std::optional<TermIndex> term;
  Count first = 0;
  bool operator==(const Segment&) const = default;
};

using Segments = std::vector<Segment>;

/// Of a segment within one element throws std::logic_error.
class SlotImage {
 public:
  explicit SlotImage(Bytes bytes);

  Segments read(plan::ByteRange range, const Terms& terms) const;
  void write(Bytes first, const Segments& segments, const Terms& terms);
  const Segments& all() const { return segments_; }

 private:
  Segments segments_;
};

/// Those of `segments` that make up bytes [first, last) of them.
Segments part_of(const Segments& segments, plan::ByteRange range, const Terms& terms);

/// Appends what is not empty; what continues the last one becomes one with it.
void append(Segments& all, const Segment& next, const Terms& terms);

Bytes bytes_of(const Segments& segments);

}  // namespace collbench::replay
