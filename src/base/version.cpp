// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

#include <fmt/format.h>

#ifndef COLLBENCH_GIT_COMMIT
#define COLLBENCH_GIT_COMMIT "unknown"
#endif
#ifndef COLLBENCH_SOURCES
#define COLLBENCH_SOURCES ""
#endif
#ifndef COLLBENCH_FLAGS
#define COLLBENCH_FLAGS ""
#endif
#ifdef __clang__
#define COLLBENCH_COMPILER "clang++ " __clang_version__
#else
#define COLLBENCH_COMPILER "g++ " __VERSION__
#endif

namespace collbench {
namespace {

/// clang's version ends in a space where it names no repository.
constexpr std::string_view without_end_spaces(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

BuildInfo build_info() {
  return {COLLBENCH_GIT_COMMIT, COLLBENCH_SOURCES, without_end_spaces(COLLBENCH_COMPILER),
          COLLBENCH_FLAGS};
}

std::string build_id() {
  const BuildInfo info = build_info();
  return fmt::format("{}|{}|{}|{}|{}", kVersion, info.git_commit, info.sources, info.compiler,
                     info.flags);
}

std::string version_text() {
  const BuildInfo build = build_info();
  return fmt::format("collbench {} (commit {})\ncompiler {}\nflags {}\n", kVersion,
                     build.git_commit, build.compiler, build.flags);
}

}  // namespace collbench
