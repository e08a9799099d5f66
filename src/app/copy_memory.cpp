// SPDX-License-Identifier: Apache-2.0
#include "app/copy_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "app/buffers.h"
#include "base/errors.h"
#include "measure/test_data.h"

namespace collbench {
namespace {

// Bytes that lie in a pattern of bytes.
Pattern data_of(int rank, std::uint64_t seed) {
  return rank_data({DataType::uint8, std::nullopt, 1, seed}, rank);
}

// Decided by all ranks on the scarcest, before anything is allocated.
void refuse_beyond_memory(ControlPlane& control, Bytes available, Bytes largest,
                          std::uint64_t buffers, std::string_view where) {
  const std::vector<Bytes> all = control.all_gather(available);
  const auto scarcest = std::min_element(all.begin(), all.end());
  const Bytes usable = usable_bytes(*scarcest);
  if (largest <= usable / buffers) return;
  throw UserError(fmt::format(
      "-e: copies of {} need {} such buffers {} per rank, but rank {} can have {}; "
      "lower -e",
      format_bytes(largest), buffers, where, scarcest - all.begin(), format_bytes(usable)));
}

}  // namespace

CopyMemory::CopyMemory(ControlPlane& control, Device& device, Bytes largest, std::uint64_t others)
    : control_(control), device_(device), largest_(largest) {
  const bool apart = device.has_own_memory();
  refuse_beyond_memory(control, device.available(MemoryKind::device), largest, 3 + others,
                       apart ? "of a GPU" : "of the host");
  if (apart) {
    refuse_beyond_memory(control, device.available(MemoryKind::host), largest, 2, "of the host");
  }
  source_ = device.allocate(largest, MemoryKind::device);
  target_ = device.allocate(largest, MemoryKind::device);
  scratch_ = device.allocate(largest, MemoryKind::device);
  if (!apart) return;
  pinned_ = device.allocate(largest, MemoryKind::pinned);
  pageable_ = device.allocate(largest, MemoryKind::host);
}

// Data go to where they begin, and what must not be there to where they arrive, by plain copies
// from memory that kernels reach: pageable memory and another GPU's they may not.
CheckOutcome CopyMemory::check(const CopyWay& way, Bytes bytes, Stream& stream,
                               std::uint64_t seed) {
  Kernels& kernels = device_.kernels();
  const int rank = control_.rank();
  std::byte* const scratch = scratch_->data();
  const auto place = [&](void* to, std::uint64_t its_seed) {
    kernels.fill(scratch, bytes, data_of(rank, its_seed), 0, stream);
    kernels.copy(to, scratch, bytes, stream);
    stream.synchronize();
  };
  place(const_cast<std::byte*>(way.from), seed);
  place(way.to, ~seed);
  way.copy(way.to, way.from, bytes);
  kernels.copy(scratch, way.to, bytes, stream);
  const CheckResult mine = kernels.check(scratch, bytes, data_of(rank, seed), 0, stream);
  CheckOutcome outcome;
  const std::vector<CheckResult> all = control_.all_gather(mine);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].wrong > 0 && outcome.wrong_elements == 0) {
      outcome.first_wrong =
          fmt::format("rank {}, byte {} of the copy: expected {}, found {}", i, all[i].first_wrong,
                      show_value(DataType::uint8, all[i].expected.data()),
                      show_value(DataType::uint8, all[i].found.data()));
    }
    outcome.checked_elements += bytes;
    outcome.wrong_elements += all[i].wrong;
  }
  return outcome;
}

}  // namespace collbench
