// SPDX-License-Identifier: Apache-2.0
#include "replay/executor.h"

#include <fmt/format.h>

#include <stdexcept>

#include "replay/call_of.h"

namespace collbench::replay {

using plan::OpIndex;
using plan::OpKind;

std::vector<std::unique_ptr<Stream>> make_streams(Device& device, const plan::Plan& plan) {
  std::vector<std::unique_ptr<Stream>> streams;
  for (std::size_t i = 0; i <= plan.streams.size(); ++i) streams.push_back(device.make_stream());
  return streams;
}

Executor::Executor(const Stage& stage, const plan::RankClass& ranks, Timing timing)
    : stage_(stage), timing_(timing) {
  for (const plan::Op& op : ranks.ops) ops_.push_back(prepare(op));
}

// ---- before the first step

Executor::Prepared Executor::prepare(const plan::Op& op) {
  Prepared prepared;
  prepared.op = &op;
  const bool waits = op.kind == OpKind::wait;
  prepared.stream =
      (waits ? stage_.streams.back() : stage_.streams[static_cast<std::size_t>(op.stream)]).get();
  for (const OpIndex earlier : op.after) {
    if (ops_[earlier].op->kind == OpKind::wait) continue;  // the host has waited for it
    if (ops_[earlier].stream == prepared.stream) continue;
    need_event(earlier);
    prepared.before.push_back(ops_[earlier].done.get());
  }
  if (op.kind == OpKind::communicate) prepare_messages(prepared);
  if (op.kind == OpKind::copy) prepare_copy(prepared);
  if (timing_ == Timing::each_operation && !waits) {
    prepared.start = stage_.device.make_event();
    prepared.done = stage_.device.make_event();
  }
  return prepared;
}

void Executor::need_event(OpIndex index) {
  if (!ops_[index].done) ops_[index].done = stage_.device.make_event();
}

void Executor::prepare_messages(Prepared& prepared) {
  for (const plan::Message& message : prepared.op->messages) {
    Communicator& comm = stage_.comms.of(message);
    if (prepared.messages.comm != nullptr && prepared.messages.comm != &comm) {
      throw std::logic_error(fmt::format(
          "operation {}: its messages go over several communicators, and are no fused group",
          prepared.op->label));
    }
    prepared.messages.comm = &comm;
    const auto at = [&](plan::SlotIndex slot) {
      return slot == plan::kNoSlot ? nullptr : stage_.memory.at(slot);
    };
    const Place place = place_of(message, stage_.plan, stage_.rank);
    const PeerCounts* counts = nullptr;
    if (auto given = peer_counts(message, place)) {
      prepared.messages.counts.push_back(std::make_unique<PeerCounts>(std::move(*given)));
      counts = prepared.messages.counts.back().get();
    }
    prepared.messages.calls.push_back(
        call_of(message, place, at(message.read), at(message.written), counts));
  }
}

void Executor::prepare_copy(Prepared& prepared) {
  prepared.from = stage_.memory.at(prepared.op->reads.front());
  prepared.to = stage_.memory.at(prepared.op->writes.front());
}

// ---- a step

void Executor::run(Computation& computation) {
  for (std::size_t index = 0; index < ops_.size(); ++index) {
    issue(static_cast<OpIndex>(index), computation);
  }
  drain();
}

void Executor::issue(OpIndex index, Computation& computation) {
  const Prepared& prepared = ops_[index];
  Device& device = stage_.device;
  for (Event* earlier : prepared.before) device.wait(*prepared.stream, *earlier);
  if (prepared.start) device.record(*prepared.start, *prepared.stream);
  switch (prepared.op->kind) {
    case OpKind::compute:
      computation.enqueue(index, *prepared.op, *prepared.stream);
      break;
    case OpKind::copy:
      device.kernels().copy(prepared.to, prepared.from, prepared.op->bytes, *prepared.stream);
      break;
    case OpKind::communicate:
      if (prepared.messages.comm != nullptr) {
        prepared.messages.comm->enqueue(prepared.messages.calls, *prepared.stream);
      }
      break;
    case OpKind::wait:
      prepared.stream->synchronize();
      break;
  }
  if (prepared.done) device.record(*prepared.done, *prepared.stream);
}

void Executor::drain() {
  for (const std::unique_ptr<Stream>& stream : stage_.streams) stream->synchronize();
}

std::vector<plan::OpTime> Executor::times(double start_s) const {
  std::vector<plan::OpTime> times;
  for (const Prepared& prepared : ops_) {
    plan::OpTime time;
    if (prepared.start && prepared.start->query() && prepared.done->query()) {
      time.start_s = prepared.start->time_s() - start_s;
      time.ready_s = time.start_s;
      time.end_s = prepared.done->time_s() - start_s;
    }
    times.push_back(time);
  }
  return times;
}

}  // namespace collbench::replay
