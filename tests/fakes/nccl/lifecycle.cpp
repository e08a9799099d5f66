// SPDX-License-Identifier: Apache-2.0
// Communicators from a unique id to their end.
#include <cuda_runtime_api.h>

#include "errors.h"
#include "fake_cuda.h"
#include "faults.h"
#include "group.h"
#include "handles.h"
#include "log.h"
#include "settings.h"

using namespace fakenccl;

namespace {

/// A rank that joins, as a job. On failure of a blocking one the program gets no handle.
ncclResult_t join(ncclComm_t* out, const ncclUniqueId& id, int ranks, int rank, bool blocking) {
  const Fault fault = next_fault(Kind::CommInitRank, rank);
  if (fault.action == Action::err) return static_cast<ncclResult_t>(fault.argument);
  const int device = fakecuda::current_device();
  auto core = std::make_shared<Communicator>(device, blocking);
  const ncclComm_t handle = make_handle(core);
  *out = handle;
  const auto run = [=] { return core->join(id, rank, ranks, rank, fault); };
  const auto undo = [=] {
    *out = nullptr;
    if (!core->aborted()) delete_handle(handle);  // else that has done it
  };
  return issue(Job{device, blocking, run, undo});
}

ncclResult_t init(ncclComm_t* out, int ranks, const ncclUniqueId& id, int rank,
                  const ncclConfig_t* config) {
  if (!out) return error(ncclInvalidArgument, "no place for the communicator");
  *out = nullptr;
  if (ranks < 1 || ranks > kMostRanks || rank < 0 || rank >= ranks) {
    return error(ncclInvalidArgument,
                 "rank " + std::to_string(rank) + " of " + std::to_string(ranks));
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess) {
    return error(ncclUnhandledCudaError, "there is no GPU");
  }
  bool blocking = true;
  const ncclResult_t checked = check_config(config, blocking);
  if (checked != ncclSuccess) return checked;
  if (config) log_use(rank, "ncclCommInitRankConfig " + text_of(*config));
  return join(out, id, ranks, rank, blocking);
}

}  // namespace

ncclResult_t ncclGetVersion(int* version) {
  if (!version) return error(ncclInvalidArgument, "no place for the version");
  *version = settings().version;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  settings();  // a bad variable is refused by the first call of a program
  return id ? make_id(*id) : error(ncclInvalidArgument, "no place for the unique id");
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  return remember(init(comm, ranks, id, rank, nullptr));
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  return remember(init(comm, ranks, id, rank, config));
}

// Several ids only speed up the real start; the first of them is enough to meet.
ncclResult_t ncclCommInitRankScalable(ncclComm_t* comm, int ranks, int rank, int ids,
                                      ncclUniqueId* id, ncclConfig_t* config) {
  if (ids < 1 || ids > ranks || !id)
    return remember(error(ncclInvalidArgument, "no unique id per 1..n ranks"));
  return remember(init(comm, ranks, id[0], rank, config));
}

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int devices, const int* list) {
  if (!comms || devices < 1)
    return remember(error(ncclInvalidArgument, "no communicators to make"));
  const auto device = [&](int rank) { return list ? list[rank] : rank; };
  int there = 0;
  cudaGetDeviceCount(&there);
  for (int rank = 0; rank < devices; ++rank) {
    if (device(rank) >= 0 && device(rank) < there) continue;
    return remember(error(ncclInvalidArgument, "there is no GPU " + std::to_string(device(rank))));
  }
  ncclUniqueId id;
  const ncclResult_t made = make_id(id);
  if (made != ncclSuccess) return remember(made);
  const int before = fakecuda::current_device();
  ncclGroupStart();
  for (int rank = 0; rank < devices; ++rank) {
    cudaSetDevice(device(rank));
    remember(init(&comms[rank], devices, id, rank, nullptr));
  }
  cudaSetDevice(before);
  return ncclGroupEnd();
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  const ncclResult_t usable = check_usable(comm);
  if (usable != ncclSuccess) return remember(usable);
  const auto core = comm->core;
  core->finalized = true;
  const auto run = [core, busy = std::make_shared<InProgress>(core)] {
    core->drain();
    const bool failed = core->broken();
    return failed ? core->state() : ncclSuccess;
  };
  return remember(
      issue(Job{core->device(), core->blocking(), run, [core] { core->finalized = false; }}));
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  if (!comm) return ncclSuccess;
  const ncclResult_t handle = check_handle(comm);
  if (handle != ncclSuccess) return remember(handle);
  if (comm->core->state() == ncclInProgress) {
    return remember(error(ncclInvalidArgument, "the communicator is still in progress"));
  }
  const auto core = comm->core;
  core->finalized = true;
  core->drain();
  core->abort();
  core->leave();
  delete_handle(comm);
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  if (!comm) return ncclSuccess;
  const ncclResult_t handle = check_handle(comm);
  if (handle != ncclSuccess) return handle;
  const auto core = comm->core;
  core->abort();
  core->leave();
  delete_handle(comm);
  return ncclSuccess;
}

// What goes on ends, and only ends, splits and shrinks are left.
ncclResult_t ncclCommRevoke(ncclComm_t comm, int flags) {
  const ncclResult_t handle = check_handle(comm);
  if (handle != ncclSuccess) return handle;
  if (flags != NCCL_REVOKE_DEFAULT || comm->core->revoked || comm->core->finalized) {
    return error(ncclInvalidArgument, "the communicator is revoked or finalized, or flags are set");
  }
  comm->core->revoked = true;
  comm->core->end_work();
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  const ncclResult_t handle = check_handle(comm);
  if (handle != ncclSuccess) return handle;
  if (!state) return error(ncclInvalidArgument, "no place for the state");
  *state = comm->core->state();
  return ncclSuccess;
}
