// SPDX-License-Identifier: Apache-2.0
#include "traffic/sizes.h"

#include <fmt/format.h>

#include <bit>

namespace collbench::traffic {

std::string why_not_on(const Traffic& t, int ranks) {
  if (t.ranks == Ranks::any || std::has_single_bit(static_cast<unsigned>(ranks))) return "";
  return fmt::format("{} needs a power of two of ranks, not {}", t.name, ranks);
}

std::string why_not_in_place(const Traffic& t) {
  if (t.in_place != InPlace::none) return "";
  return fmt::format("in place, {} would overwrite what it has yet to send", t.name);
}

}  // namespace collbench::traffic
