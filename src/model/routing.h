// SPDX-License-Identifier: Apache-2.0
// Where the tokens of a mixture of experts go, on average and in bytes.
#pragma once

#include "base/bytes.h"

namespace collbench::model {

/// In how many of `groups` (ranks, or nodes) that share `experts` evenly a token has at least one
/// of its `per_token` experts, each set of experts as likely as any other: a sender that does not
/// repeat a token sends this many copies, not per_token. Throws std::logic_error unless groups
/// divide experts.
double expected_groups(int experts, int per_token, int groups);

/// Bytes of a token that is sent in 8 bits with a float scale for each 128 elements, as DeepSeek-V3
/// and DeepEP dispatch it.
Bytes float8_row_bytes(Count hidden);

}  // namespace collbench::model
