// SPDX-License-Identifier: Apache-2.0
#include "cli/list_text.h"

#include <fmt/format.h>

#include "base/data_type.h"
#include "base/named_rows.h"
#include "base/reduce_op.h"
#include "traffic/matrix_spec.h"
#include "traffic/traffic.h"

namespace collbench {

std::string list_text() {
  std::string text =
      "collectives, with bus bandwidth over algorithm bandwidth for 2 and 8 ranks:\n";
  for (const traffic::Traffic& row : traffic::kAll) {
    text += fmt::format("  {:<16}{:<6.3g}{:<6.3g}{}\n", row.name, row.bus_factor(2),
                        row.bus_factor(8), row.summary);
  }
  text +=
      fmt::format("types: {}\nreductions: {}\n", list_names(kDataTypes), list_names(kReduceOps));
  text += "traffic matrices of alltoallv (--matrix NAME or NAME:VALUE):\n";
  for (const traffic::MatrixKindRow& row : traffic::kMatrixKinds) {
    text += fmt::format("  {:<20}{}\n", named_with_parameter(row), row.meaning);
  }
  return text;
}

}  // namespace collbench
