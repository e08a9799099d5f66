// SPDX-License-Identifier: Apache-2.0
#include "app/run_memcpy.h"

#include "app/backend_of_run.h"
#include "app/memcpy_run.h"
#include "app/rank_threads.h"
#include "app/run_main.h"
#include "cli/memcpy_options.h"

namespace collbench {

int run_memcpy(int argc, char** argv) {
  MemcpyOptions options;
  std::vector<std::string> asked;
  Program program;
  program.name = kMemcpyProgram;
  program.parse = [&](const std::vector<std::string>& arguments, const ReadEnvironment&) {
    MemcpyCommand command = parse_memcpy_command(arguments);
    options = command.options;
    asked = command.arguments;
    return Command{command.print, options.start_timeout_s, asked};
  };
  program.run = [&](RunContext& process) {
    const BackendOfRun backend(process, options, options.gpu);
    return run_rank_threads(process, options.gpu.ranks_per_process(), [&](RunContext& run) {
      return measure_memcpy(run, backend, asked, options);
    });
  };
  return run_main(argc, argv, program);
}

}  // namespace collbench
