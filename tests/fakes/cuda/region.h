// SPDX-License-Identifier: Apache-2.0
// Region: addresses that were given out once, with memory as long as they are allocated.
#pragma once

#include <cstddef>
#include <optional>

#include "memory.h"

namespace fakecuda {

/// Memory between poison, then a page that nobody may touch. The addresses of device memory are not
/// those of its memory, and nobody may touch them.
class Region {
 public:
  /// Nothing when the machine has no more memory or addresses.
  static std::optional<Region> make(std::size_t bytes, MemoryOf of, int device);

  const std::byte* begin() const { return begin_; }
  const std::byte* end() const { return begin_ + span_; }
  const Allocation& allocation() const { return allocation_; }
  bool live() const { return live_; }

  /// Gives the memory back and keeps the addresses, so that they are never given out again. Ends
  /// the process where the poison shows that somebody wrote beside the allocation.
  void release();

 private:
  std::byte* begin_;
  std::size_t span_;   // the last page included
  std::byte* memory_;  // of the first byte
  Allocation allocation_;
  bool live_ = true;

  Region(std::byte* begin, std::size_t span, std::byte* memory, const Allocation& allocation)
      : begin_(begin), span_(span), memory_(memory), allocation_(allocation) {}
};

}  // namespace fakecuda
