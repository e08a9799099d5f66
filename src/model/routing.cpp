// SPDX-License-Identifier: Apache-2.0
#include "model/routing.h"

#include <algorithm>
#include <stdexcept>

namespace collbench::model {

double expected_groups(int experts, int per_token, int groups) {
  if (groups < 1 || experts % groups != 0) throw std::logic_error("groups do not divide experts");
  // That a group has none of the token's experts: those are all drawn from the others.
  const int others = experts - experts / groups;
  double none = 1;
  for (int i = 0; i < per_token; ++i) none *= std::max(others - i, 0) / (1.0 * experts - i);
  return groups * (1 - none);
}

Bytes float8_row_bytes(Count hidden) {
  constexpr Count kBlock = 128;
  return hidden + 4 * ((hidden + kBlock - 1) / kBlock);
}

}  // namespace collbench::model
