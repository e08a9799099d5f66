// SPDX-License-Identifier: Apache-2.0
#include "app/run_comm_init.h"

#include "app/backend_of_run.h"
#include "app/comm_init_run.h"
#include "app/rank_threads.h"
#include "app/run_main.h"
#include "cli/comm_init_options.h"

namespace collbench {

int run_comm_init(int argc, char** argv, const Operation& operation) {
  CommInitOptions options;
  std::vector<std::string> asked;
  Program program;
  program.name = kCommInitProgram;
  program.parse = [&](const std::vector<std::string>& arguments, const ReadEnvironment&) {
    CommInitCommand command = parse_comm_init_command(arguments);
    options = command.options;
    asked = command.arguments;
    return Command{command.print, options.start_timeout_s, asked};
  };
  program.run = [&](RunContext& process) {
    const BackendOfRun backend(process, options, options.gpu);
    return run_rank_threads(process, options.gpu.ranks_per_process(), [&](RunContext& run) {
      return measure_comm_init(run, backend, asked, options, operation);
    });
  };
  return run_main(argc, argv, program);
}

}  // namespace collbench
