// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/mpi_error.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/errors.h"

namespace collbench {
namespace {

// The classes that the calls of this suite can meet; an array, since an MPI library may give two
// classes one value.
constexpr std::array<std::pair<int, std::string_view>, 17> kClassNames = {{
    {MPI_ERR_BUFFER, "MPI_ERR_BUFFER"},
    {MPI_ERR_COUNT, "MPI_ERR_COUNT"},
    {MPI_ERR_TYPE, "MPI_ERR_TYPE"},
    {MPI_ERR_TAG, "MPI_ERR_TAG"},
    {MPI_ERR_COMM, "MPI_ERR_COMM"},
    {MPI_ERR_RANK, "MPI_ERR_RANK"},
    {MPI_ERR_ROOT, "MPI_ERR_ROOT"},
    {MPI_ERR_GROUP, "MPI_ERR_GROUP"},
    {MPI_ERR_OP, "MPI_ERR_OP"},
    {MPI_ERR_REQUEST, "MPI_ERR_REQUEST"},
    {MPI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE"},
    {MPI_ERR_ARG, "MPI_ERR_ARG"},
    {MPI_ERR_IN_STATUS, "MPI_ERR_IN_STATUS"},
    {MPI_ERR_NO_MEM, "MPI_ERR_NO_MEM"},
    {MPI_ERR_INTERN, "MPI_ERR_INTERN"},
    {MPI_ERR_OTHER, "MPI_ERR_OTHER"},
    {MPI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN"},
}};

std::string class_name(int code) {
  int error_class = code;
  MPI_Error_class(code, &error_class);
  for (const auto& [value, name] : kClassNames) {
    if (value == error_class) return std::string(name);
  }
  return fmt::format("error class {}", error_class);
}

// MPICH writes a stack of several lines; messages of the suite have one.
std::string error_text(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> buffer{};
  int length = 0;
  if (MPI_Error_string(code, buffer.data(), &length) != MPI_SUCCESS) return "no text";
  std::string text;
  for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(length))) {
    if (c != '\n') {
      text += c;
    } else if (!text.empty() && text.back() != ':') {
      text += ';';
    }
    if (c == '\n') text += ' ';
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == ';')) text.pop_back();
  return text;
}

// "COLLBENCH_MPI_C(MPI_Ibcast)(...)" reads "MPI_Ibcast(...)".
std::string readable_call(std::string call) {
  constexpr std::string_view kWrapper = "COLLBENCH_MPI_C(";
  if (!call.starts_with(kWrapper)) return call;
  call.erase(0, kWrapper.size());
  const std::size_t end = call.find(')');
  if (end != std::string::npos) call.erase(end, 1);
  return call;
}

}  // namespace

void throw_mpi_error(int code, const MpiCallSite& site) {
  throw SystemError(fmt::format("{} failed with {}: {} ({}:{})", readable_call(site.call),
                                class_name(code), error_text(code), site.file, site.line));
}

}  // namespace collbench
