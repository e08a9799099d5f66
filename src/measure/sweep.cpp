// SPDX-License-Identifier: Apache-2.0
#include "measure/sweep.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/errors.h"
#include "traffic/sizes.h"

namespace collbench {
namespace {

constexpr std::size_t kMostSizes = 1'000'000;

// The size after `bytes`; saturates, so that a sweep up to 2^63 ends.
Bytes next_size(const Sweep& sweep, Bytes bytes) {
  Bytes next = 0;
  const bool overflow = sweep.factor > 1 ? __builtin_mul_overflow(bytes, sweep.factor, &next)
                                         : __builtin_add_overflow(bytes, sweep.step_bytes, &next);
  return overflow ? ~Bytes{0} : next;
}

std::string why_nothing(const SizeContext& c) {
  if (c.traffic.by_matrix) {
    return fmt::format("blocks are multiples of {} B, and its largest has none",
                       traffic::kBlockAlignment);
  }
  if (!traffic::is_sharded(c.traffic)) {
    return fmt::format("one {} has {} B", name_of(c.type), size_of(c.type));
  }
  return fmt::format("blocks are multiples of {} B, so that {} need{} {} B",
                     traffic::kBlockAlignment, counted(c.ranks, "rank"), c.ranks == 1 ? "s" : "",
                     traffic::kBlockAlignment * static_cast<Bytes>(c.ranks));
}

std::string skip_reason(const SweepSize& size, Bytes previous_bytes, const SizeContext& context) {
  std::string why_not = traffic::why_not_on(context.traffic, context.ranks);
  if (!why_not.empty()) return why_not;
  if (size.message_bytes == 0) {
    return fmt::format("{} is too small: {}", format_bytes(size.requested_bytes),
                       why_nothing(context));
  }
  if (size.message_bytes == previous_bytes) {
    return fmt::format("rounds to {} B for {}, which is measured already", size.message_bytes,
                       counted(context.ranks, "rank"));
  }
  return "";
}

SweepSize rounded(Bytes requested, const SizeContext& c) {
  SweepSize size;
  size.requested_bytes = requested;
  if (c.traffic.by_matrix) {
    size.message_bytes = traffic::scaled(*c.weights, requested).largest_sum();
    size.count = size.message_bytes / size_of(c.type) / static_cast<Count>(c.ranks);
  } else {
    size.count = traffic::block_count(c.traffic, requested, c.type, c.ranks);
    size.message_bytes = traffic::message_bytes(c.traffic, size.count, c.type, c.ranks);
  }
  return size;
}

}  // namespace

void validate(const Sweep& sweep) {
  if (sweep.min_bytes == 0) throw UserError("-b: 0 bytes cannot be measured; give at least 1");
  if (sweep.min_bytes > sweep.max_bytes) {
    throw UserError(fmt::format("-b {} is above -e {}; give the smaller size to -b",
                                sweep.min_bytes, sweep.max_bytes));
  }
  if (sweep.factor <= 1 && sweep.step_bytes == 0) {
    throw UserError("-i: a step of 0 never ends; give at least 1 byte");
  }
  if (sweep.factor <= 1 && (sweep.max_bytes - sweep.min_bytes) / sweep.step_bytes >= kMostSizes) {
    throw UserError(fmt::format("-i {}: the sweep has more than {} sizes; give a larger step or -f",
                                sweep.step_bytes, kMostSizes));
  }
}

std::vector<Bytes> sizes_of(const Sweep& sweep) {
  std::vector<Bytes> sizes;
  for (Bytes bytes = sweep.min_bytes; bytes <= sweep.max_bytes; bytes = next_size(sweep, bytes)) {
    sizes.push_back(bytes);
  }
  return sizes;
}

std::vector<SweepSize> plan_sweep(const Sweep& sweep, const SizeContext& context) {
  std::vector<SweepSize> plan;
  Bytes previous_bytes = 0;
  for (const Bytes requested : sizes_of(sweep)) {
    SweepSize size = rounded(requested, context);
    size.skip_reason = skip_reason(size, previous_bytes, context);
    previous_bytes = size.message_bytes;
    plan.push_back(std::move(size));
  }
  return plan;
}

}  // namespace collbench
