// SPDX-License-Identifier: Apache-2.0
#include "comm/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace collbench {
namespace {

namespace fs = std::filesystem;

bool exists(const fs::path& path) {
  std::error_code unreadable;  // is absent, for this purpose
  return fs::exists(path, unreadable);
}

std::string loader_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "no reason given";
}

// The loader takes a library for the one that a plugin needs by the name that it has inside; this
// tells whether it did.
bool serves(void* library, void* plugin) {
  constexpr const char* kOfNccl = "ncclGetVersion";
  const void* const function = dlsym(library, kOfNccl);
  return function != nullptr && function == dlsym(plugin, kOfNccl);
}

Plugin refused(const fs::path& path, const std::string& reason) {
  return {path, fmt::format("{}: {}", path.string(), reason), nullptr};
}

}  // namespace

std::vector<fs::path> plugin_paths(const fs::path& program, std::string_view backend) {
  if (program.empty()) return {};  // a bare file name would be searched for in other folders
  const std::string file = fmt::format("libcollbench_{}.so", backend);
  const fs::path folder = program.parent_path();
  return {folder / file, folder.parent_path() / "lib" / file};
}

fs::path program_path() {
  std::error_code unreadable;
  return fs::read_symlink("/proc/self/exe", unreadable);
}

Plugin load_plugin(const std::vector<fs::path>& paths, const std::string& build_id,
                   const std::string& library_path) {
  const auto found = std::find_if(paths.begin(), paths.end(), exists);
  if (found == paths.end()) {
    const std::string file = paths.empty() ? "plugin" : paths.front().filename().string();
    return {{}, fmt::format("no {} beside the program or in ../lib", file), nullptr};
  }
  void* nccl = nullptr;
  if (!library_path.empty()) {
    nccl = dlopen(library_path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (nccl == nullptr) {
      return {*found, fmt::format("--nccl-lib {}: {}", library_path, loader_error()), nullptr};
    }
  }
  void* library = dlopen(found->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return {*found, fmt::format("it cannot be loaded: {}", loader_error()), nullptr};
  }
  if (nccl != nullptr && !serves(nccl, library)) {
    return {
        *found,
        fmt::format("--nccl-lib {}: it is not what the plugin loads as NCCL; give a libnccl.so.2",
                    library_path),
        nullptr};
  }
  void* symbol = dlsym(library, kPluginEntryName);
  if (symbol == nullptr) {
    return refused(*found, fmt::format("it is no plugin: it has no {}", kPluginEntryName));
  }
  PluginReply reply;
  const int status = reinterpret_cast<PluginEntry*>(symbol)(build_id.c_str(), &reply);
  if (status != 0) return refused(*found, reply.reason.data());
  if (reply.make_process == nullptr) return refused(*found, "it gives no backend");
  return {*found, "", reply.make_process};
}

}  // namespace collbench
