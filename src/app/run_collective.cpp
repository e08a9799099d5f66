// SPDX-License-Identifier: Apache-2.0
#include "app/run_collective.h"

#include "app/run_main.h"
#include "app/run_plan.h"
#include "app/sweep_run.h"
#include "cli/collective_options.h"
#include "traffic/program_name.h"

namespace collbench {

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
  program.run = [&](RunContext& run) {
    if (options.dry_run) {
      const RunPlan plan = plan_sizes(run.control(), options, operation.traffic);
      const int ranks = run.control().size();
      if (run.control().rank() == 0) {
        run.print(describe_run(plan, options, operation.traffic, ranks));
      }
      refuse_empty(plan);  // as the run itself would
      return ExitStatus::ok;
    }
    return run_sweep(run, asked, options, operation);
  };
  return run_main(argc, argv, program);
}

}  // namespace collbench
