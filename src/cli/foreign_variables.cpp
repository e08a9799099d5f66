// SPDX-License-Identifier: Apache-2.0
#include "cli/foreign_variables.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/errors.h"
#include "cli/numbers.h"

namespace collbench {
namespace {

struct ForeignVariable {
  const char* name;
  bool of_matrix;
  std::string_view instead;
};

constexpr std::array<ForeignVariable, 4> kVariables = {{
    {"NCCL_TESTS_ALLTOALLV_MATRIX_FILE", true, "it is not read; give --matrix file:PATH"},
    {"NCCL_TESTS_ALLTOALLV_MATRIX_SCALE", true,
     "it is not read; -b and -e scale the matrix of --matrix file:PATH"},
    {"NCCL_TESTS_ALLTOALLV_SPREAD", true, "it is not read; give --matrix linear:SPREAD"},
    {"NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY", true,
     "it is not read; --dry-run shows what each rank sends and receives; unset it"},
}};

}  // namespace

void refuse_foreign_variables(bool needs_matrix, const ReadEnvironment& read) {
  for (const ForeignVariable& variable : kVariables) {
    const char* const value = read(variable.name);
    if (value == nullptr || *value == '\0' || (variable.of_matrix && !needs_matrix)) continue;
    throw UserError(fmt::format("{}: {}", variable.name, variable.instead));
  }
}

std::optional<int> first_device(const ReadEnvironment& read) {
  constexpr int kMost = 1023;  // more than any host has
  const char* const value = read(kFirstDeviceVariable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return static_cast<int>(parse_count(value, kFirstDeviceVariable, 0, kMost));
}

}  // namespace collbench
