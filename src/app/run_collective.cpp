// SPDX-License-Identifier: Apache-2.0
#include "app/run_collective.h"

#include "app/run_main.h"
#include "app/sweep_plan.h"
#include "app/sweep_run.h"
#include "app/weights.h"
#include "cli/collective_options.h"
#include "traffic/program_name.h"

namespace collbench {

int run_collective(int argc, char** argv, const Operation& operation) {
  CollectiveOptions options;
  Program program;
  program.name = traffic::program_name(operation.traffic);
  program.parse = [&](const std::vector<std::string>& arguments, const ReadEnvironment&) {
    CollectiveCommand command = parse_collective_command(arguments, operation.traffic);
    options = command.options;
    return Command{command.print, options.start_timeout_s};
  };
  program.run = [&](RunContext& run) {
    if (options.dry_run) {
      const int ranks = run.control().size();
      const auto weights = load_weights(run.control(), options, operation.traffic, ranks);
      if (run.control().rank() == 0) {
        run.print(
            describe_sweeps(options, operation.traffic, ranks, weights ? &*weights : nullptr));
      }
      return ExitStatus::ok;
    }
    return run_sweep(run, {argv + 1, argv + argc}, options, operation);
  };
  return run_main(argc, argv, program);
}

}  // namespace collbench
