// SPDX-License-Identifier: Apache-2.0
// Looks at JSON text, valid or not, to see whose it is.
#pragma once

#include <initializer_list>
#include <string_view>

namespace collbench {

/// Which of these keys the outermost object has first; empty for none, and for text that is no
/// object. Keys with escapes are none of them.
std::string_view first_key_of(std::string_view text, std::initializer_list<std::string_view> keys);

}  // namespace collbench
