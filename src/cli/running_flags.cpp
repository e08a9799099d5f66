// SPDX-License-Identifier: Apache-2.0
#include "cli/running_flags.h"

#include <fmt/format.h>

#include <vector>

#include "base/errors.h"
#include "base/named_rows.h"
#include "cli/numbers.h"

namespace collbench {
namespace {

template <class Rows>
std::vector<std::string> names_in(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

}  // namespace

void RunningFlags::declare(CommandLine& line) {
  const RunningChoice usual;
  line.value("--backend", backend_, list_names(kBackendChoices) + " (default auto)");
  line.completed_by(names_in(kBackendChoices));
  line.value("--nccl-lib", nccl_library_,
             "--backend nccl with this libnccl.so, not the one it finds");
  line.completed_by_files();
  line.value("--wait", wait_, "how hosts wait: " + list_names(kWaitPolicies) + " (default auto)");
  line.completed_by(names_in(kWaitPolicies));
  line.value("-T,--timeout", timeout_,
             fmt::format("seconds without progress before giving up, 0 is off (default {})",
                         usual.timeout_s));
  line.value(
      "--start-timeout", start_timeout_,
      fmt::format("seconds for all ranks to start, 0 is off (default {})", usual.start_timeout_s));
}

void RunningFlags::declare_file(CommandLine& line) {
  line.value("-J,--output_file", json_path_, "write the results to this JSON file");
  line.completed_by_files();
  line.flag("--force", force_, "replace an existing file");
}

RunningChoice RunningFlags::read() const {
  RunningChoice choice;
  if (json_path_) choice.json_path = *json_path_;
  if (json_path_ && json_path_->empty()) {
    throw UserError("-J: the file's name is empty; give a path such as result.json");
  }
  choice.force = force_;
  if (timeout_) choice.timeout_s = parse_seconds(*timeout_, "-T");
  if (start_timeout_) choice.start_timeout_s = parse_seconds(*start_timeout_, "--start-timeout");
  if (backend_) {
    choice.backend = find_named(kBackendChoices, *backend_, "--backend", "backend").choice;
  }
  if (nccl_library_) {
    if (choice.backend == BackendChoice::mpi) {
      throw UserError("--nccl-lib: the mpi backend uses no NCCL; leave out one of the two");
    }
    choice.backend = BackendChoice::nccl;  // who names a library does not mean hosts
    choice.nccl_library = *nccl_library_;
  }
  if (wait_) choice.wait = find_named(kWaitPolicies, *wait_, "--wait", "way to wait").policy;
  return choice;
}

}  // namespace collbench
