// SPDX-License-Identifier: Apache-2.0
#include "app/agreement.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace collbench {

void together(ControlPlane& control, const std::function<void()>& work) {
  std::optional<std::string> mine;
  try {
    work();
  } catch (const UserError& error) {
    mine = error.what();
  }
  const std::vector<char> failed = control.all_gather<char>(mine ? 1 : 0);
  const auto first = std::find(failed.begin(), failed.end(), 1);
  if (first == failed.end()) return;
  const auto messages = control.all_gather_text(mine.value_or(""));
  throw UserError(messages[static_cast<std::size_t>(first - failed.begin())]);
}

ExitStatus combined_status(const std::vector<ExitStatus>& statuses) {
  constexpr std::array kWorstFirst = {
      ExitStatus::user_error,     ExitStatus::system_error, ExitStatus::deadline,
      ExitStatus::interrupted,    ExitStatus::terminated,   ExitStatus::wrong_data,
      ExitStatus::verdict_failed, ExitStatus::inconclusive,
  };
  for (const ExitStatus status : kWorstFirst) {
    if (std::find(statuses.begin(), statuses.end(), status) != statuses.end()) return status;
  }
  return ExitStatus::ok;
}

}  // namespace collbench
