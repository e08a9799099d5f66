// SPDX-License-Identifier: Apache-2.0
// Timelines of steps, as --trace writes them for Chrome's tracing and Perfetto.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace collbench::report {

/// An operation on a stream of a rank, seconds from the beginning.
struct TimelineOp {
  std::size_t lane = 0;  // index into Timeline::lanes
  std::string label;
  double begin_s = 0;
  double end_s = 0;
};

struct Timeline {
  std::string name;                // as Run::name
  std::vector<std::string> lanes;  // "rank 0 of 1 (pp 0), compute"
  std::vector<TimelineOp> ops;     // by begin
};

/// Whether the beginning of a file is that of such a one: it names the format's list of events.
bool is_timeline(std::string_view beginning);

/// Complete events with their lanes, which are named by the metadata; other events are left out.
/// Throws UserError of one sentence, "FILE: /traceEvents/3/ts: expected a number, found a string".
Timeline parse_timeline(std::string_view text, std::string_view source);

}  // namespace collbench::report
