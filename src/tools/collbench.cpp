// SPDX-License-Identifier: Apache-2.0
// `collbench`: tools that read result files. Links neither MPI nor CUDA, so it runs on any desk.
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "base/named_rows.h"
#include "base/one_line.h"
#include "results/schema.h"
#include "tools/commands.h"

namespace collbench {

void print_message(const char* message) {
  std::fputs(message_line(fmt::format("collbench: {}", message)).c_str(), stderr);
}

ExitStatus run(const PrintText& options) {
  fmt::print("{}", options.text);
  return ExitStatus::ok;
}

ExitStatus run(const SchemaOptions& options) {
  fmt::print("{}", find_named(schemas(), options.of, "--of", "schema").text);
  return ExitStatus::ok;
}

namespace {

/// A full disk shows when the last of the output is written.
void require_written_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw SystemError(
        fmt::format("the output cannot be written to stdout: {}", std::strerror(errno)));
  }
}

ExitStatus run_tool(const std::vector<std::string>& arguments) {
  const ExitStatus status =
      std::visit([](const auto& options) { return run(options); }, parse_tool_command(arguments));
  require_written_output();
  return status;
}

}  // namespace
}  // namespace collbench

int main(int argc, char** argv) {
  using collbench::ExitStatus;
  // A reader who has left, and a limit on the size of files, are errors with a status of ours.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  ExitStatus status = ExitStatus::system_error;
  try {
    status = collbench::run_tool({argv + 1, argv + argc});
  } catch (const collbench::UserError& error) {
    collbench::print_message(error.what());
    status = ExitStatus::user_error;
  } catch (const std::bad_alloc&) {
    collbench::print_message("the host's memory ran out");
  } catch (const std::exception& error) {
    collbench::print_message(error.what());
  }
  return static_cast<int>(status);
}
