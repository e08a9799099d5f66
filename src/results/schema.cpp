// SPDX-License-Identifier: Apache-2.0
#include "results/schema.h"

#include <array>

namespace collbench {

std::span<const SchemaRow> schemas() {
  static constexpr std::array<SchemaRow, 5> kSchemas = {{
      {
          "results",
#include "results-1.schema.json.inc"
      },
      {
          "result-set",
#include "result-set-1.schema.json.inc"
      },
      {
          "comparison",
#include "comparison-1.schema.json.inc"
      },
      {
          "scaling",
#include "scaling-1.schema.json.inc"
      },
      {
          "schemes",
#include "schemes-1.schema.json.inc"
      },
  }};
  return kSchemas;
}

}  // namespace collbench
