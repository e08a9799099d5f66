// SPDX-License-Identifier: Apache-2.0
#include "report/prometheus.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <set>

#include "analysis/measurement_key.h"
#include "report/escape.h"
#include "report/sweeps.h"
#include "results/step_parts.h"
#include "results/step_table.h"

namespace collbench::report {
namespace {

/// The value of a label: a quote or backslash would end it.
std::string quoted(std::string_view text) {
  std::string value = "\"";
  for (const char c : readable(text)) {
    if (c == '"' || c == '\\') value += '\\';
    value += c;
  }
  return value + '"';
}

struct Label {
  std::string_view name;
  std::string value;
};

/// {a="1",b="2"}; a label without a value says nothing and is left out.
std::string text_of(const std::vector<Label>& labels) {
  std::string text;
  for (const Label& label : labels) {
    if (label.value.empty()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", label.name, quoted(label.value));
  }
  return "{" + text + "}";
}

std::vector<Label> labels_of(const RowKey& key) {
  return {{"collective", key.collective},
          {"type", std::string(name_of(key.type))},
          {"op", key.op ? std::string(name_of(*key.op)) : ""},
          {"size_bytes", fmt::format("{}", key.message_bytes)},
          {"placement", key.in_place ? "in_place" : "out_of_place"},
          {"ranks", fmt::format("{}", key.ranks)},
          {"nodes", fmt::format("{}", key.nodes)},
          {"root", key.root ? fmt::format("{}", *key.root) : ""},
          {"backend", key.backend},
          {"mode", key.mode},
          {"aggregation", key.aggregation},
          {"ranks_per_process", fmt::format("{}", key.ranks_per_process)},
          {"fused", key.grouped_operations == 1 ? "" : fmt::format("{}", key.grouped_operations)},
          {"offset", key.offset_elements == 0 ? "" : fmt::format("{}", key.offset_elements)},
          {"matrix", key.matrix},
          {"split", key.group ? key.group->rule : ""},
          {"group", key.group ? fmt::format("{}", key.group->index) : ""}};
}

/// What most people choose series by, and all of the key as its name: no two steps share a series.
std::vector<Label> labels_of(const StepKey& key) {
  std::string scheme;
  for (const auto& [name, value] : key.scheme) {
    scheme += fmt::format("{}{}={}", scheme.empty() ? "" : " ", name, value);
  }
  return {{"pattern", key.pattern},
          {"model", key.model},
          {"layout", layout_text(key.layout)},
          {"scheme", scheme},
          {"ranks", fmt::format("{}", key.ranks)},
          {"nodes", fmt::format("{}", key.nodes)},
          {"backend", key.backend},
          {"compute", key.compute},
          {"layers", key.layers ? fmt::format("{}", *key.layers) : ""},
          {"divided_by", key.shrink ? fmt::format("{}", *key.shrink) : ""},
          {"sequence", fmt::format("{}", key.step.sequence)},
          {"micro_batch", fmt::format("{}", key.step.micro_batch)},
          {"micro_batches", fmt::format("{}", key.step.micro_batches)},
          {"step", name_of(key)}};
}

/// A metric's series by their labels.
struct Family {
  std::string_view name;
  std::string_view help;
  std::map<std::string, double> values = {};

  void set(const std::vector<Label>& labels, double value) { values[text_of(labels)] = value; }
  void forget(const std::vector<Label>& labels) { values.erase(text_of(labels)); }

  std::string text() const {
    if (values.empty()) return "";
    std::string text = fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", name, help);
    for (const auto& [labels, value] : values)
      text += fmt::format("{}{} {}\n", name, labels, value);
    return text;
  }
};

std::vector<const Run*> oldest_first(std::span<const Run> runs) {
  std::vector<const Run*> sorted;
  for (const Run& run : runs) sorted.push_back(&run);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Run* a, const Run* b) {
    return a->document.run.started < b->document.run.started;
  });
  return sorted;
}

/// Series of rows of these sizes.
std::string rows_text(const std::vector<const Run*>& runs, const std::set<Bytes>& sizes,
                      std::size_t& series) {
  Family time = {"collbench_collective_time_seconds", "Median time of one operation."};
  Family bandwidth = {"collbench_bus_bandwidth_bytes_per_second",
                      "What each rank's link carries, by the median time."};
  for (const Run* run : runs) {
    for (const Record& row : run->document.rows) {
      if (!sizes.contains(row.key.message_bytes)) continue;
      const std::vector<Label> labels = labels_of(row.key);
      if (row.status != RowStatus::ok || !has_time(row)) {
        time.forget(labels);  // what an earlier run had is no longer so
        bandwidth.forget(labels);
        continue;
      }
      time.set(labels, row.timing->median_s);
      if (row.bus_bandwidth_Bps) bandwidth.set(labels, *row.bus_bandwidth_Bps);
    }
  }
  series = time.values.size() + bandwidth.values.size();
  return time.text() + bandwidth.text();
}

std::set<Bytes> sizes_of(const std::vector<const Run*>& runs) {
  std::set<Bytes> sizes;
  for (const Run* run : runs) {
    for (const Record& row : run->document.rows) sizes.insert(row.key.message_bytes);
  }
  return sizes;
}

/// Every `step`-th size, from the largest down.
std::set<Bytes> every(std::size_t step, const std::set<Bytes>& sizes) {
  std::set<Bytes> chosen;
  std::size_t index = 0;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size, ++index) {
    if (index % step == 0) chosen.insert(*size);
  }
  return chosen;
}

std::string selected_rows_text(const std::vector<const Run*>& runs, std::size_t most) {
  const std::set<Bytes> all = sizes_of(runs);
  std::size_t series = 0;
  for (std::size_t step = 1;; ++step) {
    const std::set<Bytes> sizes = every(step, all);
    const std::string text = rows_text(runs, sizes, series);
    const bool fits = series <= most;
    if (!fits && sizes.size() > 1) continue;
    if (!fits) {
      return fmt::format(
          "# {} series even of the largest size alone, and {} allowed: none of them "
          "is here\n",
          series, most);
    }
    if (step == 1) return text;
    return fmt::format("# {} of {} sizes, so that there are at most {} series\n", sizes.size(),
                       all.size(), most) +
           text;
  }
}

std::string steps_text(const std::vector<const Run*>& runs) {
  Family time = {"collbench_step_time_seconds", "Median time of a training step."};
  Family exposed = {"collbench_step_exposed_communication_seconds",
                    "Communication that computing does not hide."};
  Family tokens = {"collbench_step_tokens_per_second", "Of all ranks together."};
  for (const Run* run : runs) {
    for (const StepRecord& step : run->document.steps) {
      const std::vector<Label> labels = labels_of(step.key);
      if (step.status != RowStatus::ok || !step.step) {
        for (Family* family : {&time, &exposed, &tokens}) family->forget(labels);
        continue;
      }
      time.set(labels, step.step->median_s);
      if (const auto value = exposed_s(step)) exposed.set(labels, *value);
      if (const auto value = tokens_per_s(step)) tokens.set(labels, *value);
    }
  }
  return time.text() + exposed.text() + tokens.text();
}

/// Of an RFC 3339 time in UTC; 0 where it is none.
double seconds_since_1970(const std::string& text) {
  std::tm time = {};
  if (strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &time) == nullptr) return 0;
  return static_cast<double>(timegm(&time));
}

Count wrong_elements(const Document& document) {
  Count wrong = 0;
  for (const Record& row : document.rows) wrong += row.check ? row.check->wrong_elements : 0;
  for (const StepRecord& step : document.steps)
    wrong += step.check ? step.check->wrong_elements : 0;
  return wrong;
}

std::string runs_text(const std::vector<const Run*>& runs) {
  Family started = {"collbench_last_run_timestamp_seconds", "When the last run started."};
  Family success = {"collbench_last_run_success", "1 where it completed with status 0."};
  Family wrong = {"collbench_wrong_elements", "Found by the data check of the last run."};
  for (const Run* run : runs) {
    const Document& document = run->document;
    const std::vector<Label> labels = {{"program", document.config.program}};
    started.set(labels, seconds_since_1970(document.run.started));
    const bool good = !document.incomplete && document.run.status == RunStatus::complete &&
                      document.run.exit_status == 0;
    success.set(labels, good ? 1 : 0);
    wrong.set(labels, static_cast<double>(wrong_elements(document)));
  }
  return started.text() + success.text() + wrong.text();
}

}  // namespace

std::string to_prometheus(std::span<const Run> runs, std::size_t most) {
  const std::vector<const Run*> sorted = oldest_first(runs);
  return selected_rows_text(sorted, most) + steps_text(sorted) + runs_text(sorted);
}

}  // namespace collbench::report
