// SPDX-License-Identifier: Apache-2.0
#include "segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "errors.h"

namespace fakenccl {
namespace {

/// What the bytes of an ncclUniqueId say.
struct Address {
  std::uint64_t magic;
  std::uint64_t nonce;
  pid_t pid;
  int fd;
};
constexpr std::uint64_t kMagic = 0x66616b656e63636c;  // "fakenccl"
static_assert(sizeof(Address) <= sizeof(ncclUniqueId));

struct OpenIds {
  std::mutex mutex;
  std::map<std::uint64_t, int> fd_of;  // by nonce
};

OpenIds& open_ids() {
  static auto* const ids = new OpenIds;
  return *ids;
}

Address address_of(const ncclUniqueId& id) {
  Address address;
  std::memcpy(&address, &id, sizeof address);
  return address;
}

struct Places {
  std::size_t slots;
  std::size_t channels;
  std::size_t end;
};

// Pages that nobody touches take no memory: most channels of a large communicator.
Places places(int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  const auto page = [](std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; };
  Places p;
  p.slots = page(sizeof(Header) + n * sizeof(Member));
  p.channels = p.slots + n * kSlotBytes;
  p.end = page(p.channels + n * n * sizeof(Channel));
  return p;
}

/// Opens the file of an address; -1 when it is gone. The number may by now be another file's, which
/// must not be touched.
int find(const Address& address) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", address.pid, address.fd);
  const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
  std::uint64_t nonce = 0;
  if (fd >= 0 && pread(fd, &nonce, sizeof nonce, 0) == sizeof nonce && nonce == address.nonce) {
    return fd;
  }
  if (fd >= 0) close(fd);
  return -1;
}

}  // namespace

ncclResult_t make_id(ncclUniqueId& id) {
  Address address{kMagic, 0, getpid(), -1};
  if (getrandom(&address.nonce, sizeof address.nonce, 0) != sizeof address.nonce) {
    return error(ncclSystemError, "no random number for a unique id");
  }
  address.fd = memfd_create("fake_nccl", MFD_CLOEXEC);
  if (address.fd < 0) return error(ncclSystemError, "no memory file for a unique id");
  // It starts with the nonce, so that whoever opens it can tell that it is the one.
  if (pwrite(address.fd, &address.nonce, sizeof address.nonce, 0) != sizeof address.nonce) {
    close(address.fd);
    return error(ncclSystemError, "no memory for a unique id");
  }
  std::memset(&id, 0, sizeof id);
  std::memcpy(&id, &address, sizeof address);
  const std::lock_guard lock(open_ids().mutex);
  open_ids().fd_of[address.nonce] = address.fd;
  return ncclSuccess;
}

void forget_id(const ncclUniqueId& id) {
  const Address address = address_of(id);
  if (address.pid != getpid()) return;
  const std::lock_guard lock(open_ids().mutex);
  const auto found = open_ids().fd_of.find(address.nonce);
  if (found == open_ids().fd_of.end()) return;
  close(found->second);
  open_ids().fd_of.erase(found);
}

Segment::~Segment() {
  if (base_) munmap(base_, bytes_);
}

ncclResult_t Segment::open(const ncclUniqueId& id, int ranks) {
  const Address address = address_of(id);
  if (address.magic != kMagic) return error(ncclInvalidArgument, "this is no unique id");
  const int fd = find(address);
  if (fd < 0) {
    return error(
        ncclSystemError,
        "the unique id is stale: all ranks have joined, or the process that made it is gone");
  }
  bytes_ = places(ranks).end;
  ranks_ = ranks;
  // Its last page makes it large enough, never smaller: a rank with a wrong number of ranks must
  // not cut off its peers' memory.
  const auto size = static_cast<off_t>(bytes_);
  void* const base = fallocate(fd, 0, size - 4096, 4096) == 0
                         ? mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                         : MAP_FAILED;
  close(fd);
  if (base == MAP_FAILED) return error(ncclSystemError, "no memory for a communicator");
  base_ = static_cast<std::byte*>(base);
  std::uint32_t said = 0;
  const auto mine = static_cast<std::uint32_t>(ranks);
  if (!header().ranks.compare_exchange_strong(said, mine) && said != mine) {
    return error(ncclInvalidArgument, "ranks differ in how many there are: " +
                                          std::to_string(said) + " and " + std::to_string(mine));
  }
  open_ = true;
  return ncclSuccess;
}

Member& Segment::member(int rank) const {
  return reinterpret_cast<Member*>(base_ + sizeof(Header))[rank];
}

std::byte* Segment::slot(int rank) const {
  return base_ + places(ranks_).slots + static_cast<std::size_t>(rank) * kSlotBytes;
}

Channel& Segment::channel(int from, int to) const {
  return reinterpret_cast<Channel*>(base_ + places(ranks_).channels)[from * ranks_ + to];
}

}  // namespace fakenccl
