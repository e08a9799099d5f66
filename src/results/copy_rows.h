// SPDX-License-Identifier: Apache-2.0
// Rows of copies that ranks do by themselves: how they are named, and what they say of ranks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "results/document.h"

namespace collbench {

/// "peer_copy_1_access": every rank to the GPU of the rank that is so many after it on its host,
/// round and round, with or without access of the GPUs to each other's memory.
std::string peer_copy_name(int shift, bool with_access);

/// The shift of such a name; nothing for another one.
std::optional<int> shift_of(std::string_view operation);

/// Ranks of each host, in their order.
std::vector<std::vector<int>> ranks_by_host(const Environment& environment);

/// To whose GPU a rank copies.
int peer_rank(const Environment& environment, int rank, int shift);

/// "rank 0", or "rank 0 to rank 1" of a copy between them.
std::string who_copies(const Environment& environment, std::string_view operation, int rank);

/// A comment line for each copy at its largest size: the slowest rank, its rate, and the median of
/// all. None where ranks are alike.
std::string slowest_copies(const Document& document);

}  // namespace collbench
