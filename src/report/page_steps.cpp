// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/figures.h"
#include "report/sections.h"
#include "results/axis_costs.h"
#include "results/step_parts.h"

namespace collbench::report {
namespace {

struct Step {
  const Run* run;
  const StepRecord* record;
  std::string label;
};

std::vector<Step> measured_steps(std::span<const Run> runs) {
  std::vector<Step> steps;
  std::vector<Facts> facts;
  for (const Run& run : runs) {
    for (const StepRecord& record : run.document.steps) {
      if (!record.step) continue;
      steps.push_back({&run, &record, {}});
      facts.push_back(step_facts(record.key));
      facts.back().push_back(run.name);
    }
  }
  const std::vector<std::string> names = labels(facts, 2);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].label = names[i];
  return steps;
}

std::string ms(const std::optional<double>& seconds) {
  return seconds ? milliseconds(*seconds) : "";
}

std::string share(const std::optional<double>& value) { return value ? percent(*value) : ""; }

std::optional<double> median_of(const std::optional<StepSeries>& series) {
  return series ? std::optional(series->median_s) : std::nullopt;
}

Tone tone_of(RowStatus status) { return status == RowStatus::ok ? Tone::plain : Tone::bad; }

// ---- what the time is made of

struct Part {
  const char* name;
  std::optional<double> (*of)(const StepRecord& record);
};

std::optional<double> computing_s(const StepRecord& record) { return median_of(record.computing); }

const Part kParts[] = {{"computing", computing_s},
                       {"bubble and imbalance", bubble_s},
                       {"exposed communication", exposed_s}};

/// Stacked, so a part that noise has made negative is drawn as nothing; the table has it.
Chart parts_chart(const std::vector<Step>& steps) {
  Chart chart = {.kind = ChartKind::stacked_bars,
                 .title = "Step time by what it is made of",
                 .description =
                     "Bars of computing, bubble and exposed communication for each "
                     "layout, in milliseconds.",
                 .x = {"ms"},
                 .y = {"", Scale::category}};
  for (const Step& step : steps) chart.categories.push_back(step.label);
  for (const Part& part : kParts) {
    Series series = {.label = part.name};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto value = part.of(*steps[i].record);
      if (value) series.points.push_back({std::max(0.0, *value * 1e3), static_cast<double>(i)});
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  return chart;
}

Table parts_table(const std::vector<Step>& steps) {
  Table table = {.columns = {{"step", true},
                             {"time (ms)"},
                             {"computing (ms)"},
                             {"bubble (ms)"},
                             {"exposed (ms)"},
                             {"exposed (%)"},
                             {"comm. alone (ms)"},
                             {"overlap"},
                             {"predicted (ms)"},
                             {"tokens/s"},
                             {"notes", true}},
                 .rows = {}};
  for (const Step& step : steps) {
    const StepRecord& record = *step.record;
    const auto overlap = overlap_efficiency(record);
    const auto throughput = tokens_per_s(record);
    std::string notes = record.status == RowStatus::ok ? "" : std::string(name_of(record.status));
    for (const std::string& flag : record.flags) notes += (notes.empty() ? "" : ", ") + flag;
    table.rows.push_back({{step.label},
                          {milliseconds(record.step->median_s)},
                          {ms(computing_s(record))},
                          {ms(bubble_s(record))},
                          {ms(exposed_s(record))},
                          {share(exposed_share(record))},
                          {ms(median_of(record.communication))},
                          {overlap ? fmt::format("{:.3f}", *overlap) : ""},
                          {record.prediction ? milliseconds(record.prediction->step_s) : ""},
                          {throughput ? significant(*throughput) : ""},
                          {notes, tone_of(record.status)}});
  }
  return table;
}

Figure parts_figure(const std::vector<Step>& steps) {
  Figure figure = {.title = "What a step's time is made of"};
  figure.sentences = {
      "Exposed communication is what computing does not hide; the bubble is what ranks wait for "
      "each other whatever the network. Overlap is 1 where all communication is hidden, 0 where "
      "nothing is. Differences that noise has made negative stay so in the table."};
  Chart chart = parts_chart(steps);
  if (!chart.series.empty()) figure.charts.push_back(std::move(chart));
  figure.table = parts_table(steps);
  return figure;
}

// ---- memory and bytes

Chart memory_chart(const std::vector<Step>& steps) {
  Chart chart = {.kind = ChartKind::stacked_bars,
                 .title = "Memory of the rank that holds most",
                 .description =
                     "Bars of model states and communicated buffers for each layout, in "
                     "GiB.",
                 .x = {"GiB"},
                 .y = {"", Scale::category}};
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  Series model = {.label = "model states"}, slots = {.label = "communicated buffers"};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const StepRecord& record = *steps[i].record;
    chart.categories.push_back(steps[i].label);
    model.points.push_back(
        {static_cast<double>(record.model_bytes) / kGiB, static_cast<double>(i)});
    slots.points.push_back({static_cast<double>(record.slot_bytes) / kGiB, static_cast<double>(i)});
  }
  chart.series = {std::move(model), std::move(slots)};
  return chart;
}

Figure memory_figure(const std::vector<Step>& steps) {
  Figure figure = {.title = "What a rank holds and sends"};
  figure.sentences = {
      "Of the rank with most. Model states are by the scheme's accounting, not "
      "measured; communicated buffers are those that the plan sends from or "
      "receives into."};
  figure.charts.push_back(memory_chart(steps));
  Table table = {.columns = {{"step", true},
                             {"sent per step"},
                             {"by closed form"},
                             {"model states"},
                             {"communicated buffers"},
                             {"not in it", true}},
                 .rows = {}};
  for (const Step& step : steps) {
    const StepRecord& record = *step.record;
    table.rows.push_back(
        {{step.label},
         {format_bytes(record.sent_bytes)},
         {record.closed_form_sent_bytes ? format_bytes(*record.closed_form_sent_bytes) : ""},
         {format_bytes(record.model_bytes)},
         {format_bytes(record.slot_bytes)},
         {fmt::format("{}", fmt::join(record.left_out, "; ")),
          record.left_out.empty() ? Tone::plain : Tone::caution}});
  }
  figure.table = std::move(table);
  return figure;
}

// ---- messages

std::optional<Figure> messages_figure(const std::vector<Step>& steps) {
  Figure figure = {.title = "What a step sends, each message alone"};
  figure.sentences = {"Times and bandwidths are of one such operation while nothing else runs."};
  Table table = {.columns = {{"step", true},
                             {"operation", true},
                             {"axis", true},
                             {"ranks"},
                             {"type", true},
                             {"size"},
                             {"per step"},
                             {"alone (us)"},
                             {"busbw (GB/s)"}},
                 .rows = {}};
  for (const Step& step : steps) {
    for (const StepMessage& message : step.record->messages) {
      table.rows.push_back({{step.label},
                            {message.operation},
                            {std::string(name_of(message.axis))},
                            {fmt::format("{}", message.group_size)},
                            {std::string(name_of(message.type))},
                            {format_bytes(message.message_bytes)},
                            {fmt::format("{}", message.per_step)},
                            {message.time_s ? microseconds(*message.time_s) : ""},
                            {GB_per_s(message.bus_bandwidth_Bps)}});
    }
  }
  if (table.rows.empty()) return std::nullopt;
  figure.table = std::move(table);
  return figure;
}

// ---- axes

std::string names(const std::vector<model::Axis>& axes) {
  std::string text;
  for (const model::Axis axis : axes) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name_of(axis));
  }
  return text;
}

std::string times(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.2f}", *ratio) : "";
}

std::optional<Figure> axes_figure(const std::vector<Step>& steps) {
  Figure figure = {.title = "What the axes of a step cost each other"};
  figure.sentences = {
      "How many times as long an axis communicates while others do, each operation from when its "
      "last rank has begun it. Where the intervals of the two times overlap, that may be noise."};
  Table table = {.columns = {{"step", true},
                             {"axis", true},
                             {"beside", true},
                             {"alone (ms)"},
                             {"together (ms)"},
                             {"times as long"},
                             {"predicted"},
                             {"notes", true}},
                 .rows = {}};
  for (const Step& step : steps) {
    for (const AxisCost& cost : axis_costs(*step.record)) {
      table.rows.push_back({{step.label},
                            {std::string(name_of(cost.axis))},
                            {names(cost.beside)},
                            {milliseconds(cost.alone_s)},
                            {milliseconds(cost.together_s)},
                            {times(cost.slowdown)},
                            {times(cost.predicted_slowdown)},
                            {cost.certain ? "" : "within the noise"}});
    }
  }
  if (table.rows.empty()) return std::nullopt;
  figure.table = std::move(table);
  return figure;
}

}  // namespace

std::optional<Section> steps_section(std::span<const Run> runs) {
  const std::vector<Step> steps = measured_steps(runs);
  if (steps.empty()) return std::nullopt;
  Section section = {.id = "steps", .title = "Training steps"};
  section.figures.push_back(parts_figure(steps));
  if (auto messages = messages_figure(steps)) section.figures.push_back(std::move(*messages));
  if (auto axes = axes_figure(steps)) section.figures.push_back(std::move(*axes));
  section.figures.push_back(memory_figure(steps));
  return section;
}

}  // namespace collbench::report
