// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_error.h"

#include <fmt/format.h>

#include <string_view>

#include "base/errors.h"
#include "base/one_line.h"

namespace collbench {
namespace {

std::string_view name_of(ncclResult_t code) {
  switch (code) {
    case ncclSuccess:
      return "ncclSuccess";
    case ncclUnhandledCudaError:
      return "ncclUnhandledCudaError";
    case ncclSystemError:
      return "ncclSystemError";
    case ncclInternalError:
      return "ncclInternalError";
    case ncclInvalidArgument:
      return "ncclInvalidArgument";
    case ncclInvalidUsage:
      return "ncclInvalidUsage";
    case ncclRemoteError:
      return "ncclRemoteError";
    case ncclInProgress:
      return "ncclInProgress";
    default:
      return "a result that NCCL has only since this was built";
  }
}

std::string last_message() {
  const char* message = ncclGetLastError(nullptr);
  std::string_view text = message == nullptr ? "" : message;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return one_line(text);
}

}  // namespace

std::string nccl_error_text(ncclResult_t code) {
  const std::string message = last_message();
  return fmt::format("{} ({}): {}{}{}", name_of(code), static_cast<int>(code),
                     ncclGetErrorString(code),
                     message.empty() ? "" : "; NCCL's last message: ", message);
}

std::string nccl_failure(ncclResult_t code, const char* call) {
  return fmt::format("{} failed with {}", call, nccl_error_text(code));
}

void throw_nccl_error(ncclResult_t code, const char* call) {
  throw SystemError(nccl_failure(code, call));
}

}  // namespace collbench
