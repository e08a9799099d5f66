// SPDX-License-Identifier: Apache-2.0
#include "results/schema.h"

namespace collbench {

std::string_view results_schema() {
  return
#include "results-1.schema.json.inc"
      ;
}

}  // namespace collbench
