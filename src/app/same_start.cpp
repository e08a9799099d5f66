// SPDX-License-Identifier: Apache-2.0
#include "app/same_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "app/agreement.h"
#include "base/errors.h"

namespace collbench {
namespace {

// Each ends with a NUL, which none of them can contain.
std::string packed(const Start& start) {
  std::string text;
  for (const std::string& part : {start.program, start.build, start.host}) text += part + '\0';
  text += std::to_string(start.arguments.size()) + '\0';
  for (const std::string& argument : start.arguments) text += argument + '\0';
  for (const std::string& variable : start.variables) text += variable + '\0';
  return text;
}

// What another build has packed in another way is read up to the build only.
Start unpacked(std::string_view text, const std::string& build) {
  const auto next = [&] {
    const std::string part(text.substr(0, text.find('\0')));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
  };
  Start start;
  start.program = next();
  start.build = next();
  start.host = next();
  if (start.build != build) return start;
  start.arguments.resize(std::stoul(next()));
  for (std::string& argument : start.arguments) argument = next();
  while (!text.empty()) start.variables.push_back(next());
  return start;
}

std::string quoted(const std::vector<std::string>& arguments) {
  return arguments.empty() ? "none" : fmt::format("'{}'", fmt::join(arguments, " "));
}

std::string listed(const std::vector<std::string>& variables) {
  return variables.empty() ? "none of these" : fmt::format("{}", fmt::join(variables, ", "));
}

// Empty when there is none.
std::string difference(int rank, const Start& mine, const Start& rank0) {
  if (mine.program != rank0.program) {
    return fmt::format("rank {} on {} runs {}, but rank 0 runs {}; start one program on all ranks",
                       rank, mine.host, mine.program, rank0.program);
  }
  if (mine.build != rank0.build) {
    return fmt::format(
        "rank {} on {} runs build '{}' of {}, but rank 0 on {} runs '{}'; install the same one on "
        "all hosts",
        rank, mine.host, mine.build, mine.program, rank0.host, rank0.build);
  }
  if (mine.arguments != rank0.arguments) {
    return fmt::format(
        "rank {} on {} has the arguments {}, but rank 0 has {}; start all ranks with the same ones",
        rank, mine.host, quoted(mine.arguments), quoted(rank0.arguments));
  }
  if (mine.variables != rank0.variables) {
    return fmt::format(
        "rank {} on {} has in its environment {}, but rank 0 has {}; set the same variables for "
        "all "
        "ranks, or give flags instead",
        rank, mine.host, listed(mine.variables), listed(rank0.variables));
  }
  return "";
}

}  // namespace

void require_same_start(ControlPlane& control, const Start& mine) {
  const Start rank0 = unpacked(control.broadcast_text(packed(mine)), mine.build);
  together(control, [&] {
    const std::string text = difference(control.rank(), mine, rank0);
    if (!text.empty()) throw UserError(text);
  });
}

}  // namespace collbench
