// SPDX-License-Identifier: Apache-2.0
#include "replay/slot_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace collbench::replay {
namespace {

Bytes element_of(const Segment& segment, const Terms& terms) {
  return segment.term ? size_of(terms.type_of(*segment.term)) : 1;
}

/// Bytes [from, to) of a segment.
Segment cut(const Segment& segment, Bytes from, Bytes to, const Terms& terms) {
  const Bytes element = element_of(segment, terms);
  if (from % element != 0 || (to - from) % element != 0) {
    throw std::logic_error(fmt::format("bytes {} to {} of {} are no whole elements", from, to,
                                       name_of(terms.type_of(*segment.term))));
  }
  return {to - from, segment.term, segment.term ? segment.first + from / element : 0};
}

}  // namespace

SlotImage::SlotImage(Bytes bytes) {
  if (bytes > 0) segments_.push_back({bytes, std::nullopt, 0});
}

Segments SlotImage::read(plan::ByteRange range, const Terms& terms) const {
  return part_of(segments_, range, terms);
}

void SlotImage::write(Bytes first, const Segments& segments, const Terms& terms) {
  const Bytes end = bytes_of(segments_), last = first + bytes_of(segments);
  Segments all = part_of(segments_, {0, first}, terms);
  for (const Segment& segment : segments) append(all, segment, terms);
  for (const Segment& segment : part_of(segments_, {last, end}, terms)) append(all, segment, terms);
  segments_ = std::move(all);
}

Segments part_of(const Segments& segments, plan::ByteRange range, const Terms& terms) {
  if (range.last > bytes_of(segments)) throw std::logic_error("beyond the end of a slot");
  Segments part;
  Bytes start = 0;
  for (const Segment& segment : segments) {
    const Bytes from = std::max(range.first, start);
    const Bytes to = std::min(range.last, start + segment.bytes);
    if (from < to) append(part, cut(segment, from - start, to - start, terms), terms);
    start += segment.bytes;
  }
  return part;
}

void append(Segments& all, const Segment& next, const Terms& terms) {
  if (next.bytes == 0) return;
  if (!all.empty() && all.back().term == next.term) {
    Segment& last = all.back();
    if (!next.term || last.first + last.bytes / element_of(last, terms) == next.first) {
      last.bytes += next.bytes;
      return;
    }
  }
  all.push_back(next);
}

Bytes bytes_of(const Segments& segments) {
  Bytes sum = 0;
  for (const Segment& segment : segments) sum += segment.bytes;
  return sum;
}

}  // namespace collbench::replay
