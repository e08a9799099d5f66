// SPDX-License-Identifier: Apache-2.0
// Sizes in bytes: the type, and reading and writing them as people do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace collbench {

/// A number of bytes. GB is 1e9 bytes where bandwidths are printed; sizes are binary.
using Bytes = std::uint64_t;

/// A number of elements.
using Count = std::uint64_t;

/// Reads "8", "32M", "1.5K", "64KiB", "2TiB": a number and an optional binary unit, case ignored.
///
/// K, M, G, T (also KB, KiB, ...) are powers of 1024, as in nccl-tests. Throws UserError, naming
/// `flag`, for anything else, for fractions of a byte and for sizes of 2^63 bytes or more.
Bytes parse_bytes(std::string_view text, std::string_view flag);

/// "8 B", "1.5 KiB", "32 MiB": at most four significant digits.
std::string format_bytes(Bytes bytes);

}  // namespace collbench
