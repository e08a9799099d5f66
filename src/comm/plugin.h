// SPDX-License-Identifier: Apache-2.0
// Finding and loading a backend plugin.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "comm/plugin_interface.h"

namespace collbench {

/// A plugin that was looked for.
struct Plugin {
  std::filesystem::path path;  // empty when none was found
  std::string reason;          // why there is no backend; empty when there is one
  std::unique_ptr<BackendProcess> (*make_process)() = nullptr;
};

/// "libcollbench_nccl.so" beside the program, then in ../lib: as built, then as installed.
std::vector<std::filesystem::path> plugin_paths(const std::filesystem::path& program,
                                                std::string_view backend);

/// The file of this program; empty where /proc does not tell.
std::filesystem::path program_path();

/// Loads the first of the files that exists and asks it for its backend; before that `library`,
/// unless it is empty, which then serves the plugin in the place of the library of the same name.
/// What is loaded stays loaded until the process ends. Throws nothing of its own: a plugin that
/// cannot be had is a reason.
Plugin load_plugin(const std::vector<std::filesystem::path>& paths, const std::string& build_id,
                   const std::string& library = "");

}  // namespace collbench
