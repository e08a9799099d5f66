// SPDX-License-Identifier: Apache-2.0
// A digest of texts that is equal on every host and in every build, unlike std::hash.
#pragma once

#include <cstdint>
#include <string_view>

namespace collbench {

/// Fowler, Noll and Vo's hash, FNV-1a, 64 bits.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t so_far = 0xcbf29ce484222325ULL) {
  for (const char c : text) so_far = (so_far ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return so_far;
}

}  // namespace collbench
