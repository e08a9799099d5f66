// SPDX-License-Identifier: Apache-2.0
#include "app/run_collective.h"

#include <fmt/format.h>

#include "app/backend_of_run.h"
#include "app/rank_threads.h"
#include "app/run_main.h"
#include "app/run_plan.h"
#include "app/sweep_run.h"
#include "cli/collective_options.h"
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
    const BackendOfRun backend(process, options, options.gpu);
    return run_rank_threads(process, threads, [&](RunContext& run) {
      return run_sweep(run, backend, asked, options, operation);
    });
  };
  return run_main(argc, argv, program);
}

}  // namespace collbench
