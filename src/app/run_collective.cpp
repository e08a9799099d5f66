// SPDX-License-Identifier: Apache-2.0
#include "app/run_collective.h"

#include <fmt/format.h>

#include <exception>

#include "app/rank_threads.h"
#include "app/run_main.h"
#include "app/run_plan.h"
#include "app/sweep_run.h"
#include "cli/collective_options.h"
#include "comm/open_backend.h"
#include "traffic/program_name.h"

namespace collbench {
namespace {

ExitStatus show_plan(RunContext& run, const CollectiveOptions& options,
                     const traffic::Traffic& traffic) {
  const RunPlan plan = plan_sizes(run.control(), options, traffic);
  if (run.control().rank() == 0) {
    run.print(describe_run(plan, options, traffic, run.control().size()));
  }
  refuse_empty(plan);  // as the run itself would
  return ExitStatus::ok;
}

OpenedBackend open_for(RunContext& process, const CollectiveOptions& options) {
  OpenedBackend opened = open_backend(options.backend, options.nccl_library, process.session());
  if (opened.nccl || options.gpu.only_on_gpus.empty()) return opened;
  throw UserError(fmt::format("{} ({})", options.gpu.only_on_gpus, opened.note));
}

// What is in flight on the backend ends before the watchdog ends the process. Where an error of all
// ranks ends the run, their communicators are still open, since ranks that unwind wait for nobody.
class AbortAtTheEnd {
 public:
  AbortAtTheEnd(RunContext& run, BackendProcess& backend) : run_(run), backend_(backend) {
    run_.abort_with([&backend] { backend.abort(); });
  }
  ~AbortAtTheEnd() {
    run_.abort_with(nullptr);
    if (std::uncaught_exceptions() > 0) backend_.abort();
  }
  AbortAtTheEnd(const AbortAtTheEnd&) = delete;
  AbortAtTheEnd& operator=(const AbortAtTheEnd&) = delete;

 private:
  RunContext& run_;
  BackendProcess& backend_;
};

}  // namespace

int run_collective(int argc, char** argv, const Operation& operation) {
  CollectiveOptions options;
  std::vector<std::string> asked;
  Program program;
  program.name = traffic::program_name(operation.traffic);
  program.parse = [&](const std::vector<std::string>& arguments, const ReadEnvironment& read) {
    CollectiveCommand command = parse_collective_command(arguments, operation.traffic, read);
    options = command.options;
    asked = command.arguments;
    return Command{command.print, options.start_timeout_s, asked};
  };
  program.run = [&](RunContext& process) {
    const int threads = options.gpu.ranks_per_process();
    if (options.dry_run) {
      return run_rank_threads(process, threads, [&](RunContext& run) {
        return show_plan(run, options, operation.traffic);
      });
    }
    const OpenedBackend opened = open_for(process, options);
    const AbortAtTheEnd aborts(process, *opened.process);
    return run_rank_threads(process, threads, [&](RunContext& run) {
      return run_sweep(run, opened, asked, options, operation);
    });
  };
  return run_main(argc, argv, program);
}

}  // namespace collbench
