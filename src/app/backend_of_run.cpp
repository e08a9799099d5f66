// SPDX-License-Identifier: Apache-2.0
#include "app/backend_of_run.h"

#include <fmt/format.h>

#include <exception>

#include "base/errors.h"

namespace collbench {
namespace {

OpenedBackend open_for(RunContext& process, const RunningChoice& running, const GpuChoice& gpu) {
  OpenedBackend opened = open_backend(running.backend, running.nccl_library, process.session());
  if (opened.nccl || gpu.only_on_gpus.empty()) return opened;
  throw UserError(fmt::format("{} ({})", gpu.only_on_gpus, opened.note));
}

}  // namespace

BackendOfRun::BackendOfRun(RunContext& process, const RunningChoice& running, const GpuChoice& gpu)
    : run_(process), opened_(open_for(process, running, gpu)) {
  run_.abort_with([&backend = *opened_.process] { backend.abort(); });
}

BackendOfRun::~BackendOfRun() {
  run_.abort_with(nullptr);
  if (std::uncaught_exceptions() > 0) opened_.process->abort();
}

}  // namespace collbench
