// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace fakenccl {
namespace {

struct LastError {
  std::mutex mutex;
  std::array<char, 1024> text{};
};

LastError& last_error() {
  static auto* const last = new LastError;
  return *last;
}

constexpr std::array<const char*, ncclNumResults> kMessages = {
    "no error",
    "unhandled cuda error (fake)",
    "unhandled system error",
    "internal error",
    "invalid argument",
    "invalid usage",
    "remote process exited or there was a network error",
    "NCCL operation in progress"};

}  // namespace

ncclResult_t error(ncclResult_t code, const std::string& message) {
  {
    const std::lock_guard lock(last_error().mutex);
    std::snprintf(last_error().text.data(), last_error().text.size(), "%s", message.c_str());
  }
  if (std::getenv("NCCL_DEBUG")) say(message);
  return code;
}

void say(const std::string& message) { std::fprintf(stderr, "fake nccl: %s\n", message.c_str()); }

}  // namespace fakenccl

using namespace fakenccl;

const char* ncclGetErrorString(ncclResult_t result) {
  return result >= 0 && result < ncclNumResults ? kMessages[result] : "unknown result code";
}

const char* ncclGetLastError(ncclComm_t) { return last_error().text.data(); }
