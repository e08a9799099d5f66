// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/errors.h"
#include "comm/host_limits.h"

namespace collbench {
namespace {

// The alignment that Memory promises; every host's pages are as large or larger.
constexpr Bytes kPage_bytes = 4096;

Bytes mapped_bytes(Bytes bytes) { return std::max<Bytes>(bytes, 1); }  // nothing cannot be mapped

std::byte* map(Bytes bytes) {
  // The kernel grants more than there is and ends the process when it is touched.
  const Bytes available = available_memory();
  if (bytes > available) {
    throw SystemError(fmt::format("cannot allocate {}: the host has {} left", format_bytes(bytes),
                                  format_bytes(available)));
  }
  void* data = mmap(nullptr, mapped_bytes(bytes), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    throw SystemError(
        fmt::format("cannot allocate {}: mmap: {}", format_bytes(bytes), std::strerror(errno)));
  }
  return static_cast<std::byte*>(data);
}

}  // namespace

HostMemory::HostMemory(Bytes bytes) : bytes_(bytes), data_(map(bytes)) {
  for (Bytes i = 0; i < bytes; i += kPage_bytes) {
    static_cast<volatile std::byte*>(data_)[i] = std::byte{0};
  }
}

HostMemory::~HostMemory() { munmap(data_, mapped_bytes(bytes_)); }

}  // namespace collbench
