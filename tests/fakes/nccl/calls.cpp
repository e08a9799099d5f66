// SPDX-License-Identifier: Apache-2.0
// The operations as the program calls them: every argument checked, then issued.
#include <string>

#include "errors.h"
#include "fake_cuda.h"
#include "faults.h"
#include "group.h"
#include "handles.h"

using namespace fakenccl;

namespace {

struct Call {
  Kind kind;
  const void* send;
  void* receive;
  std::size_t count;
  ncclDataType_t type;
  int op;    // of ncclRedOp_t
  int root;  // or peer
};

ncclResult_t refused(const Call& call, const char* why) {
  return error(ncclInvalidArgument, std::string(facts(call.kind).name) + ": " + why);
}

/// The reduction that a call names, as it is now.
ncclResult_t find_reduction(const Call& call, Communicator& comm, Reduction& reduction) {
  if (call.op >= 0 && call.op < ncclNumOps) {
    reduction.op = call.op;
    return ncclSuccess;
  }
  const std::lock_guard lock(comm.issue);
  const auto index = static_cast<std::size_t>(call.op - ncclNumOps);
  if (call.op < 0 || index >= comm.created_ops.size() || !comm.created_ops[index]) {
    return refused(call, "there is no such reduction");
  }
  reduction = *comm.created_ops[index];
  if (reduction.type != call.type)
    return refused(call, "the reduction was created for another type");
  return ncclSuccess;
}

/// The memory behind the call's buffers, of those that this rank uses.
ncclResult_t find_buffers(const Call& call, const Communicator& comm, Operation& op) {
  const KindFacts& kind = facts(call.kind);
  const bool is_root = call.root == comm.rank();
  const auto bytes = [&](bool blocks) {
    return call.count * (blocks ? static_cast<std::size_t>(comm.ranks()) : 1) * size_of(call.type);
  };
  const bool sends = call.kind != Kind::Recv && (!kind.only_root_sends || is_root);
  const bool receives = call.kind != Kind::Send && (!kind.only_root_receives || is_root);
  if (call.count == 0) return ncclSuccess;
  if (sends && !(op.send = fakecuda::alias(call.send, bytes(kind.sends_blocks)))) {
    return refused(call, "the send buffer is not device memory, or too small");
  }
  if (receives && !(op.receive = fakecuda::alias(call.receive, bytes(kind.receives_blocks)))) {
    return refused(call, "the receive buffer is not device memory, or too small");
  }
  return ncclSuccess;
}

ncclResult_t run(const Call& call, ncclComm_t handle, cudaStream_t stream) {
  if (const ncclResult_t usable = check_usable(handle); usable != ncclSuccess) return usable;
  const auto& comm = handle->core;
  if (size_of(call.type) == 0) return refused(call, "there is no such data type");
  if (call.root < 0 || call.root >= comm->ranks())
    return refused(call, "there is no such root or peer");
  if (stream && fakecuda::device_of(stream) != comm->device()) {
    return refused(call, "the stream is not one of the communicator's GPU");
  }
  Operation op{call.kind, nullptr, nullptr, call.count, call.type, {}, call.root, {}};
  if (facts(call.kind).reduces) {
    const ncclResult_t found = find_reduction(call, *comm, op.reduction);
    if (found != ncclSuccess) return found;
  }
  if (const ncclResult_t found = find_buffers(call, *comm, op); found != ncclSuccess) return found;
  op.fault = next_fault(call.kind, comm->origin_rank());
  if (op.fault.action == Action::err) return static_cast<ncclResult_t>(op.fault.argument);
  // As NCCL: an empty collective is no operation, an empty message is one.
  if (call.count == 0 && !is_point_to_point(call.kind)) return ncclSuccess;
  return issue(comm, op, stream);
}

ncclResult_t call(const Call& made, ncclComm_t comm, cudaStream_t stream) {
  return remember(run(made, comm, stream));
}

}  // namespace

ncclResult_t ncclAllReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return call({Kind::AllReduce, send, receive, count, type, op, 0}, comm, stream);
}

ncclResult_t ncclAllGather(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return call({Kind::AllGather, send, receive, count, type, 0, 0}, comm, stream);
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, std::size_t count,
                               ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                               cudaStream_t stream) {
  return call({Kind::ReduceScatter, send, receive, count, type, op, 0}, comm, stream);
}

ncclResult_t ncclBroadcast(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  return call({Kind::Broadcast, send, receive, count, type, 0, root}, comm, stream);
}

ncclResult_t ncclBcast(void* buffer, std::size_t count, ncclDataType_t type, int root,
                       ncclComm_t comm, cudaStream_t stream) {
  return call({Kind::Broadcast, buffer, buffer, count, type, 0, root}, comm, stream);
}

ncclResult_t ncclReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return call({Kind::Reduce, send, receive, count, type, op, root}, comm, stream);
}

ncclResult_t ncclAlltoAll(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                          ncclComm_t comm, cudaStream_t stream) {
  return call({Kind::AlltoAll, send, receive, count, type, 0, 0}, comm, stream);
}

ncclResult_t ncclGather(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                        int root, ncclComm_t comm, cudaStream_t stream) {
  return call({Kind::Gather, send, receive, count, type, 0, root}, comm, stream);
}

ncclResult_t ncclScatter(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                         int root, ncclComm_t comm, cudaStream_t stream) {
  return call({Kind::Scatter, send, receive, count, type, 0, root}, comm, stream);
}

ncclResult_t ncclSend(const void* send, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return call({Kind::Send, send, nullptr, count, type, 0, peer}, comm, stream);
}

ncclResult_t ncclRecv(void* receive, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return call({Kind::Recv, nullptr, receive, count, type, 0, peer}, comm, stream);
}
