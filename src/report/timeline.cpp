// SPDX-License-Identifier: Apache-2.0
#include "report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/errors.h"
#include "results/json_node.h"

namespace collbench::report {
namespace {

using Lane = std::pair<int, int>;  // process, thread

class TimelineReader {
 public:
  void add(const JsonNode& event) {
    const std::string phase = event.at("ph").text();
    if (phase == "M") add_name(event);
    if (phase == "X") add_op(event);
  }

  Timeline take() {
    for (const auto& [lane, index] : lanes_) timeline_.lanes[index] = name_of(lane);
    sort_lanes();
    std::stable_sort(
        timeline_.ops.begin(), timeline_.ops.end(),
        [](const TimelineOp& a, const TimelineOp& b) { return a.begin_s < b.begin_s; });
    begin_at_zero();
    return std::move(timeline_);
  }

 private:
  void add_name(const JsonNode& event) {
    const std::string what = event.at("name").text();
    const auto name = [&] { return event.at("args").at("name").text(); };
    if (what == "process_name") processes_[event.at("pid").integer()] = name();
    if (what == "thread_name") threads_[lane_of(event)] = name();
  }

  void add_op(const JsonNode& event) {
    const auto [found, is_new] = lanes_.try_emplace(lane_of(event), timeline_.lanes.size());
    if (is_new) timeline_.lanes.emplace_back();
    const double begin_s = event.at("ts").number() * 1e-6;
    timeline_.ops.push_back({.lane = found->second,
                             .label = event.text_or_empty("name"),
                             .begin_s = begin_s,
                             .end_s = begin_s + event.at("dur").number() * 1e-6});
  }

  static Lane lane_of(const JsonNode& event) {
    const auto thread = event.find("tid");
    return {event.at("pid").integer(), thread ? thread->integer() : 0};
  }

  std::string name_of(const Lane& lane) const {
    const auto process = processes_.find(lane.first);
    const auto thread = threads_.find(lane);
    return fmt::format(
        "{}, {}",
        process == processes_.end() ? fmt::format("process {}", lane.first) : process->second,
        thread == threads_.end() ? fmt::format("stream {}", lane.second) : thread->second);
  }

  /// By process and thread, whatever the order of the events.
  void sort_lanes() {
    std::vector<std::size_t> new_index(timeline_.lanes.size());
    std::vector<std::string> sorted;
    for (const auto& [lane, index] : lanes_) {
      new_index[index] = sorted.size();
      sorted.push_back(timeline_.lanes[index]);
    }
    timeline_.lanes = std::move(sorted);
    for (TimelineOp& op : timeline_.ops) op.lane = new_index[op.lane];
  }

  void begin_at_zero() {
    if (timeline_.ops.empty()) return;
    const double begin_s = timeline_.ops.front().begin_s;
    for (TimelineOp& op : timeline_.ops) {
      op.begin_s -= begin_s;
      op.end_s -= begin_s;
    }
  }

  Timeline timeline_;
  std::map<Lane, std::size_t> lanes_;
  std::map<int, std::string> processes_;
  std::map<Lane, std::string> threads_;
};

}  // namespace

bool is_timeline(std::string_view beginning) {
  return beginning.find("\"traceEvents\"") != std::string_view::npos;
}

Timeline parse_timeline(std::string_view text, std::string_view source) {
  try {
    const ParsedJson json(text);
    TimelineReader reader;
    for (const JsonNode& event : json.root().at("traceEvents").elements()) reader.add(event);
    return reader.take();
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", source, error.what()));
  }
}

}  // namespace collbench::report
