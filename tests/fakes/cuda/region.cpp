// SPDX-License-Identifier: Apache-2.0
#include "region.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace fakecuda {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::byte kPoison{0xCB};
constexpr int kReserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// Pages that nobody may touch; null when there are no more addresses.
std::byte* reserve(std::size_t bytes) {
  void* const pages = mmap(nullptr, bytes, PROT_NONE, kReserved, -1, 0);
  return pages == MAP_FAILED ? nullptr : static_cast<std::byte*>(pages);
}

/// The same, with memory in all pages but the last.
std::byte* reserve_memory(std::size_t bytes) {
  std::byte* const pages = reserve(bytes);
  if (pages == nullptr) return nullptr;
  if (mprotect(pages, bytes - page_bytes(), PROT_READ | PROT_WRITE) == 0) return pages;
  munmap(pages, bytes);
  return nullptr;
}

void check_poison(const std::byte* begin, const std::byte* end, const char* where) {
  const auto written = std::count_if(begin, end, [](std::byte byte) { return byte != kPoison; });
  if (written == 0) return;
  std::fprintf(stderr, "fake CUDA: %td bytes were written %s an allocation that is freed now\n",
               written, where);
  std::abort();
}

}  // namespace

std::optional<Region> Region::make(std::size_t bytes, MemoryOf of, int device) {
  const std::size_t used = round_up(bytes, kAlignment);
  const std::size_t span = round_up(used, page_bytes()) + page_bytes();
  std::byte* const memory = reserve_memory(span);
  if (memory == nullptr) return std::nullopt;
  std::byte* const begin = of == MemoryOf::device ? reserve(span) : memory;
  if (begin == nullptr) {
    munmap(memory, span);
    return std::nullopt;
  }
  std::memset(memory, std::to_integer<int>(kPoison), span - page_bytes());
  const std::size_t lead = span - page_bytes() - used;
  return Region(begin, span, memory, {begin + lead, memory + lead, bytes, of, device});
}

void Region::release() {
  check_poison(memory_, allocation_.alias, "before");
  check_poison(allocation_.alias + allocation_.bytes, memory_ + span_ - page_bytes(), "past");
  live_ = false;
  if (memory_ != begin_) {
    munmap(memory_, span_);
  } else {
    mmap(memory_, span_, PROT_NONE, kReserved | MAP_FIXED, -1, 0);
  }
}

}  // namespace fakecuda
