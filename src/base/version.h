// SPDX-License-Identifier: Apache-2.0
// Which build this is.
#pragma once

#include <string>
#include <string_view>

namespace collbench {

inline constexpr std::string_view kVersion = "0.1.0";

/// Facts of the build, set by the Makefile.
struct BuildInfo {
  std::string_view git_commit;  // "unknown" outside a checkout; ends in "-dirty" with changes
  std::string_view sources;     // hash of those that the library is built from
  std::string_view compiler;    // "g++ 12.2.0", "clang++ 14.0.6"
  std::string_view flags;
};
BuildInfo build_info();

/// Differs between builds whose objects must not meet: a plugin of another build is refused.
std::string build_id();

/// What --version prints.
std::string version_text();

}  // namespace collbench
