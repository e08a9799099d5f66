// SPDX-License-Identifier: Apache-2.0
// Functions of NCCL that are newer than the oldest one that the plugin works with: null where the
// library that is loaded has not got them.
#pragma once

#include <nccl.h>

#include <cstddef>

#if NCCL_VERSION_CODE < NCCL_VERSION(2, 27, 0)
using ncclWindow_t = struct ncclWindow*;
#endif

extern "C" {

// Since 2.27.
__attribute__((weak)) ncclResult_t ncclCommShrink(ncclComm_t comm, int* excluded, int count,
                                                  ncclComm_t* shrunk, ncclConfig_t* config,
                                                  int flags);
__attribute__((weak)) ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void* memory,
                                                          std::size_t bytes, ncclWindow_t* window,
                                                          int flags);
__attribute__((weak)) ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window);

// Since 2.28.
__attribute__((weak)) ncclResult_t ncclAlltoAll(const void* send, void* recv, std::size_t count,
                                                ncclDataType_t type, ncclComm_t comm,
                                                cudaStream_t stream);
__attribute__((weak)) ncclResult_t ncclGather(const void* send, void* recv, std::size_t count,
                                              ncclDataType_t type, int root, ncclComm_t comm,
                                              cudaStream_t stream);
__attribute__((weak)) ncclResult_t ncclScatter(const void* send, void* recv, std::size_t count,
                                               ncclDataType_t type, int root, ncclComm_t comm,
                                               cudaStream_t stream);
}
