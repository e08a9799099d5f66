// SPDX-License-Identifier: Apache-2.0
// Suggestion: the name that somebody meant who typed another.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace collbench {

/// Of `names` the one that begins with `word`, or else differs from it in the fewest letters, at
/// most in 2 and in a third of them; empty when none is near enough.
std::string nearest_name(std::string_view word, std::span<const std::string> names);

}  // namespace collbench
