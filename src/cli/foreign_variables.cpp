// SPDX-License-Identifier: Apache-2.0
#include "cli/foreign_variables.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/errors.h"

namespace collbench {
namespace {

struct ForeignVariable {
  const char* name;
  bool of_matrix;
  std::string_view instead;
};

constexpr std::array<ForeignVariable, 5> kVariables = {{
    {"NCCL_TESTS_DEVICE", false,
     "it is not read; choose devices with CUDA_VISIBLE_DEVICES, and unset it"},
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

}  // namespace collbench
