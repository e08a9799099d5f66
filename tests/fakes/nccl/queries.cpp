// SPDX-License-Identifier: Apache-2.0
// What a communicator is, memory that it may be told about, and reductions made for it.
#include <cuda_runtime_api.h>

#include <cstring>
#include <string>

#include "errors.h"
#include "fake_cuda.h"
#include "handles.h"
#include "kinds.h"
#include "log.h"
#include "settings.h"

using namespace fakenccl;

namespace {

constexpr std::size_t kPage = NCCL_WIN_REQUIRED_ALIGNMENT;

/// A registered range; the program's handle points to it.
struct Registration {
  std::uint64_t magic;
  std::weak_ptr<Communicator> comm;
};
constexpr std::uint64_t kRegistered = 0x7265676973746572;

ncclResult_t answer(ncclComm_t comm, int* place, int (Communicator::*value)() const) {
  const ncclResult_t ready = check_ready(comm);
  if (ready != ncclSuccess) return ready;
  if (!place) return error(ncclInvalidArgument, "no place for the answer");
  *place = (comm->core.get()->*value)();
  return ncclSuccess;
}

ncclResult_t enter(ncclComm_t comm, void* buffer, std::size_t bytes, Registration*& out) {
  const ncclResult_t ready = check_ready(comm);
  if (ready != ncclSuccess) return ready;
  if (bytes == 0 || !fakecuda::alias(buffer, bytes)) {
    return error(ncclInvalidArgument, "the registered range is no device memory");
  }
  out = new Registration{kRegistered, comm->core};
  return ncclSuccess;
}

ncclResult_t remove(ncclComm_t comm, Registration* registration) {
  const ncclResult_t handle = check_handle(comm);
  if (handle != ncclSuccess) return handle;
  if (!registration) return ncclSuccess;
  if (registration->magic != kRegistered || registration->comm.lock() != comm->core) {
    return error(ncclInvalidArgument, "this was not registered with this communicator");
  }
  registration->magic = 0;
  delete registration;
  return ncclSuccess;
}

}  // namespace

ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
  return answer(comm, count, &Communicator::ranks);
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int* device) {
  return answer(comm, device, &Communicator::device);
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
  return answer(comm, rank, &Communicator::rank);
}

// Whole pages, so that what it returns may become a symmetric window.
ncclResult_t ncclMemAlloc(void** pointer, std::size_t bytes) {
  if (!pointer) return error(ncclInvalidArgument, "no place for the address");
  const cudaError_t result = cudaMalloc(pointer, (bytes + kPage - 1) / kPage * kPage);
  if (result == cudaSuccess) return ncclSuccess;
  return error(ncclUnhandledCudaError, std::string("ncclMemAlloc: ") + cudaGetErrorString(result));
}

ncclResult_t ncclMemFree(void* pointer) {
  if (cudaFree(pointer) == cudaSuccess) return ncclSuccess;
  return error(ncclUnhandledCudaError, "ncclMemFree: this was not allocated");
}

ncclResult_t ncclCommRegister(const ncclComm_t comm, void* buffer, std::size_t bytes,
                              void** handle) {
  if (!handle) return error(ncclInvalidArgument, "no place for the handle");
  Registration* registration = nullptr;
  const ncclResult_t result = enter(comm, buffer, bytes, registration);
  *handle = registration;
  if (result == ncclSuccess) {
    log_use(comm->core->origin_rank(), "ncclCommRegister " + std::to_string(bytes));
  }
  return result;
}

ncclResult_t ncclCommDeregister(const ncclComm_t comm, void* handle) {
  const ncclResult_t result = remove(comm, static_cast<Registration*>(handle));
  if (result == ncclSuccess) log_use(comm->core->origin_rank(), "ncclCommDeregister");
  return result;
}

ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void* buffer, std::size_t bytes,
                                    ncclWindow_t* window, int flags) {
  if (!window) return error(ncclInvalidArgument, "no place for the window");
  if (flags != NCCL_WIN_DEFAULT && flags != NCCL_WIN_COLL_SYMMETRIC) {
    return error(ncclInvalidArgument, "unknown flags of a window");
  }
  if (reinterpret_cast<std::uintptr_t>(buffer) % kPage != 0) {
    return error(ncclInvalidArgument, "a window starts at a multiple of 4096 bytes");
  }
  Registration* registration = nullptr;
  const ncclResult_t result = enter(comm, buffer, bytes, registration);
  if (result == ncclSuccess) {
    log_use(comm->core->origin_rank(),
            "ncclCommWindowRegister " + std::to_string(bytes) + " flags " + std::to_string(flags));
  }
  // As NCCL: no window is no error.
  if (result == ncclSuccess && !settings().has_windows) {
    remove(comm, registration);
    registration = nullptr;
  }
  *window = reinterpret_cast<ncclWindow_t>(registration);
  return result;
}

ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window) {
  const ncclResult_t result = remove(comm, reinterpret_cast<Registration*>(window));
  if (result == ncclSuccess) log_use(comm->core->origin_rank(), "ncclCommWindowDeregister");
  return result;
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* op, void* scalar, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t comm) {
  const ncclResult_t ready = check_ready(comm);
  if (ready != ncclSuccess) return ready;
  if (!op || !scalar || size_of(type) == 0)
    return error(ncclInvalidArgument, "no scalar of a type");
  Reduction made{ncclNumOps, type, 0, nullptr};
  if (residence == ncclScalarHostImmediate) {
    std::memcpy(&made.scalar, scalar, size_of(type));
  } else if (fakecuda::alias(scalar, size_of(type))) {
    made.device_scalar = scalar;
  } else {
    return error(ncclInvalidArgument, "the scalar is not in device memory");
  }
  const std::lock_guard lock(comm->core->issue);
  comm->core->created_ops.emplace_back(made);
  *op = static_cast<ncclRedOp_t>(ncclNumOps + static_cast<int>(comm->core->created_ops.size()) - 1);
  return ncclSuccess;
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm) {
  const ncclResult_t handle = check_handle(comm);
  if (handle != ncclSuccess) return handle;
  const std::lock_guard lock(comm->core->issue);
  auto& created = comm->core->created_ops;
  const auto index = static_cast<std::size_t>(op - ncclNumOps);
  if (op < ncclNumOps || index >= created.size() || !created[index]) {
    return error(ncclInvalidArgument, "this reduction was not created, or is destroyed");
  }
  created[index].reset();
  return ncclSuccess;
}
