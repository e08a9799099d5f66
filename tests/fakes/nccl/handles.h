// SPDX-License-Identifier: Apache-2.0
// The program's handles: what is checked before a call does anything.
#pragma once

#include <nccl.h>

#include <memory>
#include <string>

#include "communicator.h"

/// What the program holds. Work in flight holds the communicator, not this.
struct ncclComm {
  std::uint64_t magic;
  std::shared_ptr<fakenccl::Communicator> core;
};

namespace fakenccl {

inline constexpr std::uint64_t kLive = 0x6c697665636f6d6d;

inline ncclComm_t make_handle(std::shared_ptr<Communicator> core) {
  return new ncclComm{kLive, std::move(core)};
}

inline void delete_handle(ncclComm_t comm) {
  comm->magic = 0;
  delete comm;
}

/// ncclInvalidArgument for what is no communicator.
ncclResult_t check_handle(ncclComm_t comm);
/// Also refused: one finalized, one still in progress (ncclInvalidArgument), or with an
/// asynchronous error (that one).
ncclResult_t check_ready(ncclComm_t comm);
/// As check_ready, for operations: a revoked one takes none (ncclInvalidUsage).
ncclResult_t check_usable(ncclComm_t comm);
/// nullptr is NCCL's usual configuration. Sets whether it blocks.
ncclResult_t check_config(const ncclConfig_t* config, bool& blocking);
/// The fields that are set, "minCTAs=2 commName=x", in the order of the structure.
std::string text_of(const ncclConfig_t& config);

}  // namespace fakenccl
