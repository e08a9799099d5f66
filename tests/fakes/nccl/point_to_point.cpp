// SPDX-License-Identifier: Apache-2.0
// Sends and receives of one group, progressing together through one ring per ordered pair of ranks.
//
// A sender puts a frame into the ring, waits until the receiver has posted (rendezvous; not for
// messages up to FAKE_NCCL_EAGER bytes), and streams the bytes. So a send without its receive
// blocks its stream.
#include <algorithm>
#include <cstring>
#include <string>

#include "fake_cuda.h"
#include "operation.h"
#include "settings.h"
#include "waiting.h"

namespace fakenccl {
namespace {

struct Frame {
  std::uint64_t bytes;
  double start_s;
};

std::uint64_t used(const Channel& channel) { return channel.written.load() - channel.read.load(); }

/// Calls copy(ring place, offset, bytes) for the one or two pieces of the ring from `at` on.
template <class Copy>
void in_ring(Channel& channel, std::uint64_t at, std::size_t bytes, Copy copy) {
  const std::size_t place = at % kChannelBytes;
  const std::size_t first = std::min(bytes, kChannelBytes - place);
  if (first > 0) copy(channel.ring + place, std::size_t{0}, first);
  if (bytes > first) copy(channel.ring, first, bytes - first);
}

void put(Channel& channel, const void* from, std::size_t bytes) {
  in_ring(channel, channel.written.load(), bytes,
          [&](std::byte* ring, std::size_t at, std::size_t n) {
            std::memcpy(ring, static_cast<const std::byte*>(from) + at, n);
          });
  channel.written.fetch_add(bytes);
}

void get(Channel& channel, void* to, std::size_t bytes) {
  in_ring(channel, channel.read.load(), bytes, [&](std::byte* ring, std::size_t at, std::size_t n) {
    std::memcpy(static_cast<std::byte*>(to) + at, ring, n);
  });
  channel.read.fetch_add(bytes);
}

/// One message of a group, on this rank's side.
class Transfer {
 public:
  Transfer(Communicator& comm, const Operation& op, const Transfer* before)
      : comm_(comm),
        op_(op),
        before_(before),
        channel_(op.kind == Kind::Send ? comm.channel(comm.rank(), op.root)
                                       : comm.channel(op.root, comm.rank())),
        bytes_(op.count * size_of(op.type)) {}

  bool same_way(const Operation& op) const { return op_.kind == op.kind && op_.root == op.root; }
  bool is_send() const { return op_.kind == Kind::Send; }
  bool done() const { return stage_ == Stage::done; }
  std::size_t bytes() const { return bytes_; }
  double peer_start_s() const { return peer_start_s_; }

  /// Goes as far as it can. Whether it has moved.
  bool step(double start_s) {
    if (done() || (before_ && !before_->done())) return false;
    const Stage stage = stage_;
    const std::size_t moved = moved_;
    if (stage_ == Stage::begin) begin(start_s);
    if (stage_ == Stage::meet) meet();
    if (stage_ == Stage::stream) stream();
    if (stage == stage_ && moved == moved_) return false;
    ring(comm_.member(op_.root).bell);
    return true;
  }

 private:
  enum class Stage { begin, meet, stream, done };

  void begin(double start_s) {
    peer_start_s_ = start_s;
    if (is_send()) {
      if (kChannelBytes - used(channel_) < sizeof(Frame)) return;
      const Frame frame{bytes_, start_s};
      number_ = channel_.announced.fetch_add(1) + 1;
      put(channel_, &frame, sizeof frame);
    } else {
      number_ = channel_.posted.load() + 1;
      channel_.posted_s[number_ % 2] = start_s;
      channel_.posted_bytes[number_ % 2] = bytes_;
      channel_.posted.store(number_);
    }
    stage_ = Stage::meet;
  }

  void meet() {
    std::uint64_t peer_bytes = bytes_;
    if (!is_send()) {
      if (used(channel_) < sizeof(Frame)) return;
      Frame frame;
      get(channel_, &frame, sizeof frame);
      peer_start_s_ = frame.start_s;
      peer_bytes = frame.bytes;
    } else if (bytes_ > settings().eager_bytes || settings().eager_bytes == 0) {
      if (channel_.posted.load() < number_) return;
      peer_start_s_ = channel_.posted_s[number_ % 2];
      peer_bytes = channel_.posted_bytes[number_ % 2];
    }
    if (peer_bytes != bytes_) return mismatch(peer_bytes);
    stage_ = Stage::stream;
  }

  void stream() {
    const std::size_t left = bytes_ - moved_;
    if (is_send()) {
      const std::size_t now = std::min<std::size_t>(left, kChannelBytes - used(channel_));
      if (op_.fault.action == Action::corrupt && moved_ == 0 && now > 0) {
        const std::byte wrong = op_.send[0] ^ std::byte{0xff};
        put(channel_, &wrong, 1);
        moved_ = 1;
        return stream();
      }
      put(channel_, op_.send + moved_, now);
      moved_ += now;
    } else {
      const std::size_t now = std::min<std::size_t>(left, used(channel_));
      get(channel_, op_.receive + moved_, now);
      moved_ += now;
      if (op_.fault.action == Action::corrupt && moved_ == bytes_ && bytes_ > 0)
        corrupt(op_.receive);
    }
    if (moved_ == bytes_) stage_ = Stage::done;
  }

  void mismatch(std::uint64_t peer_bytes) {
    const int from = is_send() ? comm_.rank() : op_.root;
    const int to = is_send() ? op_.root : comm_.rank();
    const std::uint64_t sent = is_send() ? bytes_ : peer_bytes;
    const std::uint64_t expected = is_send() ? peer_bytes : bytes_;
    comm_.fail_all(ncclInvalidUsage, "rank " + std::to_string(from) + " sends " +
                                         std::to_string(sent) + " bytes to rank " +
                                         std::to_string(to) + ", which receives " +
                                         std::to_string(expected));
  }

  Communicator& comm_;
  const Operation& op_;
  const Transfer* before_;  // the one before it on the same way
  Channel& channel_;
  const std::size_t bytes_;
  Stage stage_ = Stage::begin;
  std::uint64_t number_ = 0;
  std::size_t moved_ = 0;
  double peer_start_s_ = 0;
};

std::vector<Transfer> transfers_of(Communicator& comm, const std::vector<const Operation*>& ops) {
  std::vector<Transfer> transfers;
  transfers.reserve(ops.size());  // they point to each other
  for (const Operation* op : ops) {
    const Transfer* before = nullptr;
    for (const Transfer& earlier : transfers) {
      if (earlier.same_way(*op)) before = &earlier;
    }
    transfers.emplace_back(comm, *op, before);
  }
  return transfers;
}

bool progress(Communicator& comm, std::vector<Transfer>& transfers, double start_s) {
  while (true) {
    const std::uint32_t seen = comm.me().bell.rings.load();
    bool moved = false;
    bool all_done = true;
    for (Transfer& transfer : transfers) {
      moved |= transfer.step(start_s);
      all_done &= transfer.done();
    }
    if (all_done) return true;
    if (moved ? comm.broken() : !sleep(comm, seen)) return false;
  }
}

}  // namespace

bool run_point_to_point(Communicator& comm, const std::vector<const Operation*>& ops,
                        double& time_s) {
  for (const Operation* op : ops) {
    if (!strike(comm, op->fault, time_s)) return false;
  }
  std::vector<Transfer> transfers = transfers_of(comm, ops);
  if (!progress(comm, transfers, time_s)) return false;
  std::size_t sent = 0;
  std::size_t received = 0;
  for (const Transfer& transfer : transfers) {
    (transfer.is_send() ? sent : received) += transfer.bytes();
    time_s = std::max(time_s, transfer.peer_start_s());
  }
  time_s += cost_s(std::max(sent, received));
  return true;
}

}  // namespace fakenccl
