// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/scratch_memory.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "base/errors.h"

namespace collbench {

ScratchMemory::Lease ScratchMemory::lend(Bytes bytes) {
  if (kept_ == nullptr || kept_bytes_ < bytes) {
    kept_.reset();  // first, so that both never exist
    kept_bytes_ = bytes;
    kept_.reset(new (std::nothrow) std::byte[bytes]);
    if (kept_ == nullptr) {
      throw SystemError(fmt::format("no memory for {} of scratch", format_bytes(bytes)));
    }
  }
  return Lease(kept_.release(), Return{this, std::exchange(kept_bytes_, 0)});
}

void ScratchMemory::keep_larger(std::byte* data, Bytes bytes) noexcept {
  std::unique_ptr<std::byte[]> returned(data);
  if (kept_ != nullptr && kept_bytes_ >= bytes) return;
  kept_ = std::move(returned);
  kept_bytes_ = bytes;
}

}  // namespace collbench
