// SPDX-License-Identifier: Apache-2.0
// The ways out of a process: its last words, and its end from any thread.
#pragma once

#include <string_view>

#include "base/errors.h"

namespace collbench {

/// One line on stderr, "PROGRAM: message", in one piece, so that lines of several ranks do not mix.
/// A stderr that cannot be written is nobody's concern.
void print_message(std::string_view program, std::string_view message) noexcept;

/// Has those of stdin, stdout and stderr that are closed fail at every write. Otherwise the next
/// file that is opened, which may be the result file or a socket of MPI, would take their place and
/// with it what is printed.
void occupy_standard_files() noexcept;

/// Writes to stdout, past stdio, whose lock would hold up the end of the process while a reader
/// pages. Throws SystemError: text that the user asked for is lost.
void write_stdout(std::string_view text);

/// Writes what nobody needs to stderr, if it can be written at once: a terminal that is stopped, or
/// a reader that is slow, must not hold up who calls.
void write_stderr_if_ready(std::string_view text) noexcept;

/// Silences MPI, whose own lines say less than ours, and ends this process and all others of the
/// run.
[[noreturn]] void end_all_processes(ExitStatus status) noexcept;

/// Ends this process alone after so many seconds, whatever its threads hang in.
void exit_later(ExitStatus status, double seconds) noexcept;

}  // namespace collbench
