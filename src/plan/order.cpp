// SPDX-License-Identifier: Apache-2.0
#include "plan/order.h"

#include <algorithm>

namespace collbench::plan {
namespace {

void join(std::vector<OpIndex>& clock, const std::vector<OpIndex>& other) {
  if (clock.size() < other.size()) clock.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

void pass(std::vector<OpIndex>& clock, int stream, OpIndex number) {
  const auto index = static_cast<std::size_t>(stream);
  if (clock.size() <= index) clock.resize(index + 1);
  clock[index] = std::max(clock[index], number);
}

}  // namespace

Order::Clock Order::start_of(const Op& op) const {
  Clock clock = host_;
  const auto stream = static_cast<std::size_t>(op.stream);
  if (op.kind != OpKind::wait && stream < done_.size()) join(clock, done_[stream]);
  for (const OpIndex earlier : op.after) {
    const Place& place = places_[earlier];
    join(clock, place.start);
    if (place.number > 0) pass(clock, place.stream, place.number);
  }
  return clock;
}

void Order::append(const Op& op) {
  Clock start = start_of(op);
  if (op.kind == OpKind::wait) {
    join(host_, start);
    places_.push_back({op.stream, 0, std::move(start)});
    return;
  }
  const auto stream = static_cast<std::size_t>(op.stream);
  if (done_.size() <= stream) done_.resize(stream + 1);
  const OpIndex number = (done_[stream].size() > stream ? done_[stream][stream] : 0) + 1;
  done_[stream] = start;
  pass(done_[stream], op.stream, number);
  places_.push_back({op.stream, number, std::move(start)});
}

bool Order::has_passed(const Clock& clock, OpIndex op) const {
  const Place& place = places_[op];
  const auto stream = static_cast<std::size_t>(place.stream);
  if (place.number == 0) return true;  // the host waited before it issued anything else
  return stream < clock.size() && clock[stream] >= place.number;
}

bool Order::is_before(OpIndex earlier, OpIndex later) const {
  return earlier < later && has_passed(places_[later].start, earlier);
}

bool Order::is_before_next(OpIndex earlier, const Op& next) const {
  return has_passed(start_of(next), earlier);
}

}  // namespace collbench::plan
