// SPDX-License-Identifier: Apache-2.0
#include "replay/call_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "traffic/sizes.h"

namespace collbench::replay {
namespace {

CallKind kind_of(const plan::Message& message) {
  if (message.kind == plan::MessageKind::send) return CallKind::send;
  if (message.kind == plan::MessageKind::recv) return CallKind::recv;
  switch (message.collective) {
    case Collective::all_reduce:
      return CallKind::all_reduce;
    case Collective::all_gather:
      return CallKind::all_gather;
    case Collective::reduce_scatter:
      return CallKind::reduce_scatter;
    case Collective::alltoall:
      return CallKind::all_to_all;
    case Collective::broadcast:
      return CallKind::broadcast;
    case Collective::reduce:
      return CallKind::reduce;
    case Collective::gather:
      return CallKind::gather;
    case Collective::scatter:
      return CallKind::scatter;
    case Collective::alltoallv:
      return CallKind::all_to_all_v;
    case Collective::sendrecv:
    case Collective::hypercube:
      break;
  }
  throw std::logic_error(fmt::format("a message that no call is: {}", plan::name_of(message)));
}

struct Sizes {
  Bytes sent, received, block;
};

Sizes sizes_of(const plan::Message& message, const Place& place) {
  const int ranks = place.ranks;
  const Bytes block = message.count * size_of(message.type);
  if (place.matrix != nullptr) {
    return {place.matrix->sent_by(place.rank) * block,
            place.matrix->received_by(place.rank) * block, block};
  }
  if (message.kind != plan::MessageKind::collective) return {block, block, block};
  const traffic::Traffic& row = traffic::row_of(message.collective);
  return {traffic::send_bytes(row, message.count, message.type, ranks),
          traffic::recv_bytes(row, message.count, message.type, ranks), block};
}

/// Of a buffer in a slot that has one for each part.
Bytes offset_of(Count first, const plan::Message& message, Bytes size, int part) {
  return first * size_of(message.type) + static_cast<Bytes>(part) * size;
}

struct Sides {
  Bytes send, recv;
};

Sides sides_of(const plan::Message& message, const Place& place) {
  const auto [sent, received, block] = sizes_of(message, place);
  if (!plan::is_in_place(message)) {
    return {offset_of(message.read_first, message, sent, place.part),
            offset_of(message.written_first, message, received, place.part)};
  }
  const Bytes all = offset_of(message.read_first, message, std::max(sent, received), place.part);
  const Bytes own = all + static_cast<Bytes>(place.rank) * block;
  return {sent < received ? own : all, received < sent ? own : all};
}

bool reads(CallKind kind, bool is_root) {
  const bool only_root = kind == CallKind::broadcast || kind == CallKind::scatter;
  return kind != CallKind::recv && (is_root || !only_root);
}

bool writes(CallKind kind, bool is_root) {
  const bool only_root = kind == CallKind::reduce || kind == CallKind::gather;
  return kind != CallKind::send && (is_root || !only_root);
}

}  // namespace

Place place_of(const plan::Message& message, const plan::Plan& plan, int global_rank) {
  const model::Layout& layout = plan.layout;
  return {model::position(layout, message.axis, global_rank), model::size_of(layout, message.axis),
          message.own_part_on ? model::position(layout, *message.own_part_on, global_rank) : 0,
          message.matrix == plan::kNoMatrix ? nullptr : &plan.matrices[message.matrix]};
}

BufferOffsets buffer_offsets(const plan::Message& message, const Place& place) {
  const CallKind kind = kind_of(message);
  const bool is_root = message.peer == place.rank;
  const Sides sides = sides_of(message, place);
  BufferOffsets used;
  if (reads(kind, is_root)) used.send = sides.send;
  if (writes(kind, is_root)) used.recv = sides.recv;
  return used;
}

std::optional<PeerCounts> peer_counts(const plan::Message& message, const Place& place) {
  if (kind_of(message) != CallKind::all_to_all_v) return std::nullopt;
  PeerCounts counts;
  Count sent = 0, received = 0;
  const auto rows = [&](int from, int to) {
    return place.matrix == nullptr ? Count{1} : Count{place.matrix->at(from, to)};
  };
  for (int peer = 0; peer < place.ranks; ++peer) {
    counts.send_first.push_back(sent);
    counts.send.push_back(rows(place.rank, peer) * message.count);
    sent += counts.send.back();
    counts.recv_first.push_back(received);
    counts.recv.push_back(rows(peer, place.rank) * message.count);
    received += counts.recv.back();
  }
  return counts;
}

Call call_of(const plan::Message& message, const Place& place, std::byte* read, std::byte* written,
             const PeerCounts* counts) {
  Call call{kind_of(message)};
  call.counts = counts;
  if (call.kind != CallKind::all_to_all_v) call.count = message.count;
  call.type = message.type;
  const BufferOffsets used = buffer_offsets(message, place);
  if (used.send && read != nullptr) call.send = read + *used.send;
  if (used.recv && written != nullptr) call.recv = written + *used.recv;
  if (message.kind != plan::MessageKind::collective) {
    call.peer = message.pair ? static_cast<int>(message.peer > place.rank) : message.peer;
    return call;
  }
  const traffic::Traffic& row = traffic::row_of(message.collective);
  if (row.reduces) call.op = message.op;
  if (row.rooted) call.root = message.peer;
  return call;
}

}  // namespace collbench::replay
