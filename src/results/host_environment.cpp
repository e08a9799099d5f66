// SPDX-License-Identifier: Apache-2.0
#include "results/host_environment.h"

#include <fmt/format.h>
#include <hwloc.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <string_view>

#include "base/errors.h"
#include "base/fnv.h"
#include "base/host.h"

namespace collbench {
namespace {

// ---- topology

using Topology = std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)>;

Topology load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw SystemError("hwloc_topology_init failed");
  Topology topology(raw, hwloc_topology_destroy);
  // This component asks the processor itself, moving the calling thread from core to core; Linux
  // has told all that is needed already.
  hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  if (hwloc_topology_load(raw) != 0) throw SystemError("hwloc_topology_load failed");
  return topology;
}

/// By the kernel: hwloc adds up NUMA nodes, which in virtual machines lack memory added later.
Bytes physical_memory() {
  return static_cast<Bytes>(sysconf(_SC_PHYS_PAGES)) * static_cast<Bytes>(sysconf(_SC_PAGESIZE));
}

/// "Package(L3:33554432(Core(PU)Core(PU)))": kinds, cache sizes and nesting, without names and
/// numbers. Of memory only where it is: its size differs by some pages between equal hosts.
void describe(hwloc_obj_t object, std::string& text) {
  std::array<char, 64> type;
  hwloc_obj_type_snprintf(type.data(), type.size(), object, 0);
  text += type.data();
  if (hwloc_obj_type_is_cache(object->type) != 0) {
    text += fmt::format(":{}", object->attr->cache.size);
  }
  text += '(';
  for (hwloc_obj_t child = object->memory_first_child; child != nullptr;
       child = child->next_sibling) {
    describe(child, text);
  }
  for (hwloc_obj_t child = object->first_child; child != nullptr; child = child->next_sibling) {
    describe(child, text);
  }
  text += ')';
}

/// A topology without cores, as some virtual machines show it, has processing units only.
int cores(hwloc_topology_t topology) {
  const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
  return cores > 0 ? cores : hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
}

// ---- variables

/// What changes the behaviour of a communication library, of OpenMP, or of this suite, and which
/// job it was.
constexpr std::array<std::string_view, 8> kPrefixes = {"NCCL_", "UCX_",  "FI_",  "MPICH_",
                                                       "MPIR_", "CUDA_", "OMP_", "COLLBENCH_"};
constexpr std::array<std::string_view, 3> kNames = {"SLURM_JOB_ID", "SLURM_JOB_NUM_NODES",
                                                    "SLURM_NTASKS"};
constexpr std::array<std::string_view, 5> kSecretWords = {"TOKEN", "SECRET", "KEY", "PASS", "CRED"};

bool is_recorded(std::string_view name) {
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool looks_secret(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return std::any_of(kSecretWords.begin(), kSecretWords.end(),
                     [&](std::string_view word) { return upper.find(word) != std::string::npos; });
}

}  // namespace

HostFacts host_facts() {
  utsname system;
  if (uname(&system) != 0) throw SystemError("uname failed");
  const Topology topology = load_topology();
  const hwloc_obj_t root = hwloc_get_root_obj(topology.get());
  std::string structure;
  describe(root, structure);
  return {.name = host_name(),
          .cpu_model = cpu_model(),
          .cores = cores(topology.get()),
          .memory_bytes = physical_memory(),
          .kernel = fmt::format("{} {}", system.sysname, system.release),
          .topology_digest = fmt::format("{:016x}", fnv1a(structure))};
}

std::map<std::string, std::string> select_variables(std::span<const char* const> environment) {
  std::map<std::string, std::string> selected;
  for (const std::string_view text : environment) {
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (equals == std::string_view::npos || !is_recorded(name)) continue;
    selected[std::string(name)] =
        looks_secret(name) ? "<redacted>" : std::string(text.substr(equals + 1));
  }
  return selected;
}

std::map<std::string, std::string> recorded_variables() {
  std::size_t n = 0;
  while (environ[n] != nullptr) ++n;
  return select_variables({environ, n});
}

}  // namespace collbench
