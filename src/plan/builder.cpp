// SPDX-License-Identifier: Apache-2.0
#include "plan/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace collbench::plan {

SlotIndex Builder::slot(const std::string& name, Bytes bytes, Memory memory) {
  std::vector<Slot>& slots = ranks_.slots;
  const auto found =
      std::find_if(slots.begin(), slots.end(), [&](const Slot& s) { return s.name == name; });
  if (found == slots.end()) {
    slots.push_back({name, bytes, memory});
    users_.emplace_back();
    return static_cast<SlotIndex>(slots.size() - 1);
  }
  if (found->bytes != bytes) {
    throw std::logic_error(
        fmt::format("slot {} has {} bytes, and is asked for with {}", name, found->bytes, bytes));
  }
  return static_cast<SlotIndex>(found - slots.begin());
}

OpIndex Builder::compute(std::string label, std::vector<Gemm> gemms, std::vector<SlotIndex> reads,
                         std::vector<SlotIndex> writes, const std::string& stream) {
  Op op;
  op.kind = OpKind::compute;
  op.stream = stream_named(plan_, stream);
  op.after = std::move(held_);
  held_.clear();
  if (last_compute_ && ranks_.ops[*last_compute_].stream != op.stream) add_edge(op, *last_compute_);
  op.gemms = std::move(gemms);
  op.reads = std::move(reads);
  op.writes = std::move(writes);
  op.label = std::move(label);
  last_compute_ = append(std::move(op));
  return *last_compute_;
}

OpIndex Builder::copy(const std::string& stream, std::string label, Bytes bytes, SlotIndex from,
                      SlotIndex to) {
  Op op;
  op.kind = OpKind::copy;
  op.stream = stream_named(plan_, stream);
  op.bytes = bytes;
  op.reads = {from};
  op.writes = {to};
  op.label = std::move(label);
  return append(std::move(op));
}

std::optional<OpIndex> Builder::communicate(const std::string& stream, std::string label,
                                            std::vector<Message> messages) {
  std::erase_if(messages, [&](const Message& m) { return ranks_on(m.axis) == 1; });
  if (messages.empty()) return std::nullopt;
  Op op;
  op.kind = OpKind::communicate;
  op.stream = stream_named(plan_, stream);
  if (std::exchange(follows_compute_, false) && last_compute_) op.after = {*last_compute_};
  op.messages = std::move(messages);
  op.label = std::move(label);
  return append(std::move(op));
}

OpIndex Builder::wait(std::string label, std::vector<OpIndex> after) {
  Op op;
  op.kind = OpKind::wait;
  op.after = std::move(after);
  op.label = std::move(label);
  return append(std::move(op));
}

OpIndex Builder::append(Op op) {
  add_edges_of_slots(op);
  const auto index = static_cast<OpIndex>(ranks_.ops.size());
  for (const SlotIndex slot : slots_read(op)) users_[slot].readers.push_back(index);
  for (const SlotIndex slot : slots_written(op)) users_[slot] = {true, index, {}};
  order_.append(op);
  ranks_.ops.push_back(std::move(op));
  return index;
}

void Builder::add_edges_of_slots(Op& op) {
  for (const SlotIndex slot : slots_read(op)) {
    if (users_[slot].written) add_edge(op, users_[slot].writer);
  }
  for (const SlotIndex slot : slots_written(op)) {
    // The latest first: they often imply the others.
    const Users& users = users_[slot];
    for (auto reader = users.readers.rbegin(); reader != users.readers.rend(); ++reader) {
      add_edge(op, *reader);
    }
    if (users.written) add_edge(op, users.writer);
  }
}

void Builder::add_edge(Op& op, OpIndex earlier) const {
  if (!order_.is_before_next(earlier, op)) op.after.push_back(earlier);
}

Message collective(Collective kind, model::Axis axis, DataType type, Count count, SlotIndex read,
                   SlotIndex written, ReduceOp op) {
  Message message;
  message.kind = MessageKind::collective;
  message.collective = kind;
  message.axis = axis;
  message.type = type;
  message.op = op;
  message.count = count;
  message.read = read;
  message.written = written;
  return message;
}

Message send(model::Axis axis, int peer, DataType type, Count count, SlotIndex read) {
  Message message;
  message.kind = MessageKind::send;
  message.axis = axis;
  message.peer = peer;
  message.type = type;
  message.count = count;
  message.read = read;
  return message;
}

Message recv(model::Axis axis, int peer, DataType type, Count count, SlotIndex written) {
  Message message = send(axis, peer, type, count, kNoSlot);
  message.kind = MessageKind::recv;
  message.written = written;
  return message;
}

}  // namespace collbench::plan
