// SPDX-License-Identifier: Apache-2.0
#include "measure/sweep.h"

#include <fmt/format.h>

#include "base/errors.h"

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

std::string skip_reason(const SweepSize& size, Bytes previous_bytes, int ranks) {
  if (size.count == 0) {
    return fmt::format("{} is less than the smallest message of {} ranks",
                       format_bytes(size.requested_bytes), ranks);
  }
  if (size.message_bytes == previous_bytes) {
    return fmt::format("rounds to {} B for {} ranks, which is measured already", size.message_bytes,
                       ranks);
  }
  return "";
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

std::vector<SweepSize> plan_sweep(const Sweep& sweep, const traffic::Traffic& traffic,
                                  DataType type, int ranks) {
  std::vector<SweepSize> plan;
  Bytes previous_bytes = 0;
  for (const Bytes requested : sizes_of(sweep)) {
    SweepSize size;
    size.requested_bytes = requested;
    size.count = traffic::block_count(traffic, requested, type, ranks);
    size.message_bytes = traffic::message_bytes(traffic, size.count, type, ranks);
    size.skip_reason = skip_reason(size, previous_bytes, ranks);
    previous_bytes = size.message_bytes;
    plan.push_back(std::move(size));
  }
  return plan;
}

}  // namespace collbench
