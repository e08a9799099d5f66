// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_calls.h"

#include <cstddef>

#include "comm/nccl/newer_nccl.h"

namespace collbench {
namespace {

// The calls of NCCL that one Call is made of; none follows one that has failed.
class Issue {
 public:
  Issue(const Call& call, const NcclContext& context) : call_(call), c_(context) {}

  NcclResult result() const { return result_; }

  void all_reduce() {
    note(ncclAllReduce(call_.send, call_.recv, call_.count, type(), op(), c_.comm, c_.stream),
         "ncclAllReduce");
  }
  void all_gather() {
    note(ncclAllGather(call_.send, call_.recv, call_.count, type_to_move(), c_.comm, c_.stream),
         "ncclAllGather");
  }
  void reduce_scatter() {
    note(ncclReduceScatter(call_.send, call_.recv, call_.count, type(), op(), c_.comm, c_.stream),
         "ncclReduceScatter");
  }
  void broadcast() {
    note(ncclBroadcast(call_.send, call_.recv, call_.count, type_to_move(), call_.root, c_.comm,
                       c_.stream),
         "ncclBroadcast");
  }
  void reduce() {
    note(ncclReduce(call_.send, call_.recv, call_.count, type(), op(), call_.root, c_.comm,
                    c_.stream),
         "ncclReduce");
  }

  void send() { send_to(call_.peer, 0, call_.count); }
  void recv() { recv_from(call_.peer, 0, call_.count); }

  void all_to_all() {
    if (c_.native_exchanges) {
      note(ncclAlltoAll(call_.send, call_.recv, call_.count, type_to_move(), c_.comm, c_.stream),
           "ncclAlltoAll");
      return;
    }
    for (int peer = 0; peer < c_.size; ++peer) {
      send_to(peer, block_of(peer), call_.count);
      recv_from(peer, block_of(peer), call_.count);
    }
  }
  void all_to_all_v() {
    const PeerCounts& counts = *call_.counts;
    for (int peer = 0; peer < c_.size; ++peer) {
      const auto p = static_cast<std::size_t>(peer);
      send_to(peer, counts.send_first[p], counts.send[p]);
      recv_from(peer, counts.recv_first[p], counts.recv[p]);
    }
  }
  void gather() {
    if (c_.native_exchanges) {
      note(ncclGather(call_.send, call_.recv, call_.count, type_to_move(), call_.root, c_.comm,
                      c_.stream),
           "ncclGather");
      return;
    }
    send_to(call_.root, 0, call_.count);
    if (c_.rank != call_.root) return;
    for (int peer = 0; peer < c_.size; ++peer) recv_from(peer, block_of(peer), call_.count);
  }
  void scatter() {
    if (c_.native_exchanges) {
      note(ncclScatter(call_.send, call_.recv, call_.count, type_to_move(), call_.root, c_.comm,
                       c_.stream),
           "ncclScatter");
      return;
    }
    if (c_.rank == call_.root) {
      for (int peer = 0; peer < c_.size; ++peer) send_to(peer, block_of(peer), call_.count);
    }
    recv_from(call_.root, 0, call_.count);
  }

 private:
  ncclDataType_t type() const { return nccl_type(call_.type); }
  ncclDataType_t type_to_move() const { return nccl_type_to_move(call_.type); }
  ncclRedOp_t op() const { return c_.ops->of(call_.op, call_.type, c_.comm); }
  Count block_of(int peer) const { return static_cast<Count>(peer) * call_.count; }

  void note(ncclResult_t code, const char* call) { result_ = {code, call}; }

  // Nothing is neither sent nor received: both sides know that, and there may be no buffer.
  void send_to(int peer, Count first, Count count) {
    if (result_.failed() || count == 0) return;
    const auto* data = static_cast<const std::byte*>(call_.send) + first * size_of(call_.type);
    note(ncclSend(data, count, type_to_move(), peer, c_.comm, c_.stream), "ncclSend");
  }
  void recv_from(int peer, Count first, Count count) {
    if (result_.failed() || count == 0) return;
    auto* data = static_cast<std::byte*>(call_.recv) + first * size_of(call_.type);
    note(ncclRecv(data, count, type_to_move(), peer, c_.comm, c_.stream), "ncclRecv");
  }

  const Call& call_;
  const NcclContext& c_;
  NcclResult result_;
};

NcclResult issue(const Call& call, const NcclContext& context) {
  Issue issue(call, context);
  switch (call.kind) {
    case CallKind::all_reduce:
      issue.all_reduce();
      break;
    case CallKind::all_gather:
      issue.all_gather();
      break;
    case CallKind::reduce_scatter:
      issue.reduce_scatter();
      break;
    case CallKind::all_to_all:
      issue.all_to_all();
      break;
    case CallKind::all_to_all_v:
      issue.all_to_all_v();
      break;
    case CallKind::broadcast:
      issue.broadcast();
      break;
    case CallKind::reduce:
      issue.reduce();
      break;
    case CallKind::gather:
      issue.gather();
      break;
    case CallKind::scatter:
      issue.scatter();
      break;
    case CallKind::send:
      issue.send();
      break;
    case CallKind::recv:
      issue.recv();
      break;
  }
  return issue.result();
}

// Whether it becomes one call of NCCL's.
bool is_one_call(CallKind kind, bool native_exchanges) {
  switch (kind) {
    case CallKind::all_to_all:
    case CallKind::gather:
    case CallKind::scatter:
      return native_exchanges;
    case CallKind::all_to_all_v:
      return false;
    default:
      return true;
  }
}

}  // namespace

NcclResult enqueue_calls(std::span<const Call> calls, const NcclContext& context) {
  if (calls.size() == 1 && is_one_call(calls.front().kind, context.native_exchanges)) {
    return issue(calls.front(), context);
  }
  if (const ncclResult_t code = ncclGroupStart(); code != ncclSuccess) {
    return {code, "ncclGroupStart"};
  }
  NcclResult first_failure;
  for (const Call& call : calls) {
    first_failure = issue(call, context);
    if (first_failure.failed()) break;
  }
  const NcclResult end{ncclGroupEnd(), "ncclGroupEnd"};
  return first_failure.failed() ? first_failure : end;
}

}  // namespace collbench
