// SPDX-License-Identifier: Apache-2.0
#include "import/imb_times.h"

#include <fmt/format.h>

namespace collbench {

using Words = std::vector<std::string_view>;

ImbTimes imb_times(const LogLine& line, const Words& words,
                   const std::vector<std::string>& columns) {
  std::optional<PrintedNumber> min, mean, max;
  for (std::size_t i = 2; i < columns.size(); ++i) {
    const bool is_min = columns[i] == "t_min[usec]", is_max = columns[i] == "t_max[usec]";
    if (!is_min && !is_max && columns[i] != "t_avg[usec]") continue;
    const auto number = parse_printed(words[i]);
    if (!number || number->value < 0) say(line, fmt::format("'{}' is no time", words[i]));
    (is_min ? min : is_max ? max : mean) = number;
  }
  if (!max) say(line, "its table has no column t_max[usec]");
  if (max->value == 0) say(line, "no operation takes 0 us");
  const auto above = [](const auto& early, const auto& late) {
    return early && late && early->low() > late->high();
  };
  if (above(min, max) || above(min, mean) || above(mean, max)) {
    say(line, "its least, mean and largest time are in no such order");
  }
  return {min, mean, *max};
}

std::uint64_t imb_repetitions(const LogLine& line, const Words& words) {
  const auto number = parse_whole(words[1]);
  if (!number || *number == 0) say(line, fmt::format("'{}' is no number of repetitions", words[1]));
  return *number;
}

}  // namespace collbench
