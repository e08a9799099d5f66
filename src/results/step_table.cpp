// SPDX-License-Identifier: Apache-2.0
#include "results/step_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/counted.h"
#include "results/axis_table.h"
#include "results/balance_table.h"
#include "results/step_parts.h"
#include "results/table.h"

namespace collbench {
namespace {

std::string in_percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string joined(const std::map<std::string, std::string>& choices) {
  std::string text;
  for (const auto& [name, value] : choices) text += fmt::format(" {}={}", name, value);
  return text;
}

std::string head(const StepRecord& record) {
  const StepKey& key = record.key;
  std::string text = comment_line(fmt::format("{} of {}: {} on {}, {}", key.pattern, key.model,
                                              counted(key.ranks, "rank"),
                                              counted(key.nodes, "host"), layout_text(key.layout)));
  text += comment_line(
      fmt::format("  scheme{}, compute {}{}", joined(key.scheme), key.compute,
                  key.busy_flops ? fmt::format(" at {:g} TFLOP/s", *key.busy_flops / 1e12) : ""));
  text += comment_line(fmt::format("  {} micro-batch{} of {} x {} tokens per pipeline",
                                   key.step.micro_batches, key.step.micro_batches == 1 ? "" : "es",
                                   key.step.micro_batch, key.step.sequence));
  text += part_line(key.layers, key.shrink);
  for (const std::string& left_out : record.left_out) {
    text += comment_line("not in it: " + left_out);
  }
  return text + model::describe(record.placement);
}

std::string value_line(std::string_view name, const std::string& value, const std::string& note) {
  std::string line = fmt::format("  {:<28}{:>14}", name, value);
  if (!note.empty()) line += "  " + note;
  return line + "\n";
}

// A part of the step.
std::string part_of_step(std::string_view name, const std::optional<double>& part_s,
                         const StepRecord& record) {
  if (!part_s) return "";
  // A clock too coarse for the step gives no shares.
  const double step_s = record.step->median_s;
  return value_line(name, in_milliseconds(*part_s), step_s > 0 ? in_percent(*part_s / step_s) : "");
}

std::string interval_note(const StepSeries& step) {
  const std::string samples = counted(step.samples_s.size(), "sample");
  if (!step.interval95_s || step.median_s <= 0) return samples + ", too few for an interval";
  return fmt::format("+- {:.1f} %, {}",
                     100 * statistics::relative_half_width(*step.interval95_s, step.median_s),
                     samples);
}

std::string times(const StepRecord& record) {
  std::string text =
      value_line("step (ms)", in_milliseconds(record.step->median_s), interval_note(*record.step));
  if (record.computing) {
    text += part_of_step("  computing (ms)", record.computing->median_s, record);
  }
  text += part_of_step("  bubble (ms)", bubble_s(record), record);
  text += part_of_step("  exposed communication (ms)", exposed_s(record), record);
  if (record.communication) {
    text +=
        value_line("communication alone (ms)", in_milliseconds(record.communication->median_s), "");
  }
  if (const auto efficiency = overlap_efficiency(record)) {
    text += value_line("overlap efficiency", fmt::format("{:.3f}", *efficiency),
                       "1: all moving of data is hidden, 0: nothing");
  }
  if (record.computing_stretch && record.communication_stretch) {
    text += value_line(
        "stretch",
        fmt::format("{:.2f} {:.2f}", *record.computing_stretch, *record.communication_stretch),
        "of computing, of communication, in company");
  }
  if (record.prediction) {
    const auto error = prediction_error(record);
    text += value_line("predicted step (ms)", in_milliseconds(record.prediction->step_s),
                       fmt::format("{}{}", error ? fmt::format("{:+.1f} %, ", 100 * *error) : "",
                                   row_of(record.prediction->links).what));
  }
  return text;
}

std::string compared_with_formula(const StepRecord& record) {
  if (!record.closed_form_sent_bytes) return "";
  const Bytes formula = *record.closed_form_sent_bytes;
  // Totals are rounded down once for each kind of message.
  constexpr Bytes kRounding = 16;
  const Bytes more = std::max(record.sent_bytes, formula) - std::min(record.sent_bytes, formula);
  if (more <= kRounding) return "equals the closed form";
  const double above = (static_cast<double>(record.sent_bytes) - static_cast<double>(formula)) /
                       static_cast<double>(formula);
  constexpr double kMostPadding = 0.01;
  if (above > 0 && above <= kMostPadding) {
    return fmt::format("closed form, without padding: {}", formula);
  }
  return fmt::format("DIFFERS from the closed form {}", formula);
}

std::string sizes(const StepRecord& record) {
  std::string text = value_line("sent per rank (B)", fmt::format("{}", record.sent_bytes),
                                compared_with_formula(record));
  text += value_line("communicated buffers (B)", fmt::format("{}", record.slot_bytes),
                     format_bytes(record.slot_bytes));
  text += value_line("model states (B)", fmt::format("{}", record.model_bytes),
                     format_bytes(record.model_bytes));
  if (const auto throughput = tokens_per_s(record)) {
    text += value_line("tokens/s", fmt::format("{:.0f}", *throughput), "all ranks");
  }
  if (record.check) {
    text += value_line("wrong elements", fmt::format("{}", record.check->wrong_elements),
                       fmt::format("of {} checked", record.check->checked_elements));
  }
  return text;
}

std::string cell(const std::optional<double>& value, double scale, int digits) {
  return value ? fmt::format("{:.{}f}", *value * scale, digits) : "N/A";
}

// Sums are what is reduced by, unless it is said.
std::string type_of(const StepMessage& message) {
  std::string type(name_of(message.type));
  if (message.op && *message.op != ReduceOp::sum) type += fmt::format(" {}", name_of(*message.op));
  return type;
}

// What of a message's time is that ranks have different numbers of bytes.
std::string uneven_line(const StepMessage& message) {
  std::string text = fmt::format("#     the busiest rank has {:.2f} times the mean",
                                 message.uneven->max_over_mean);
  const std::optional<double>& even_s = message.uneven->even_time_s;
  if (even_s && message.time_s) {
    text += fmt::format("; divided evenly {:.2f} us, so that imbalance takes {:.2f} us",
                        *even_s * 1e6, (*message.time_s - *even_s) * 1e6);
  }
  return text + "\n";
}

std::string messages(const StepRecord& record) {
  if (record.messages.empty()) return "";
  std::string text =
      fmt::format("#   {:<15}{:<13}{:>6}{:>15} {:<13}{:>9}{:>11}{:>13}\n", "operation", "axis",
                  "ranks", "message (B)", "type", "per step", "alone (us)", "busbw (GB/s)");
  for (const StepMessage& message : record.messages) {
    text += fmt::format("    {:<15}{:<13}{:>6}{:>15} {:<13}{:>9}{:>11}{:>13}\n", message.operation,
                        name_of(message.axis), message.group_size, message.message_bytes,
                        type_of(message), message.per_step, cell(message.time_s, 1e6, 2),
                        cell(message.bus_bandwidth_Bps, 1e-9, 3));
    if (message.uneven) text += uneven_line(message);
  }
  return text;
}

std::string flag_line(const StepRecord& record) {
  std::string text;
  for (const std::string& flag : record.flags) text += " " + flag;
  return text.empty() ? "" : comment_line("flags:" + text);
}

}  // namespace

std::string in_milliseconds(double s) {
  const double ms = s * 1e3;
  const double size = std::abs(ms);
  return fmt::format("{:.{}f}", ms, size >= 1000 ? 1 : size >= 100 ? 2 : size >= 10 ? 3 : 4);
}

std::string layout_text(const model::Layout& layout) {
  std::string text =
      fmt::format("tp {} cp {} pp {} dp {}", layout.tp, layout.cp, layout.pp, layout.dp);
  if (layout.vpp > 1) text += fmt::format(" vpp {}", layout.vpp);
  if (layout.replicas > 1) text += fmt::format(" replicas {}", layout.replicas);
  if (layout.cp_a2a > 1) text += fmt::format(" cp_a2a {}", layout.cp_a2a);
  if (layout.ep > 1) text += fmt::format(" ep {}", layout.ep);
  return text;
}

std::string part_line(const std::optional<int>& layers, const std::optional<Count>& shrink) {
  std::string parts;
  if (layers) parts += fmt::format(", {} of the model", counted(*layers, "layer"));
  if (shrink) parts += fmt::format(", messages and computing divided by {}", *shrink);
  return parts.empty() ? "" : comment_line("NOT a whole step" + parts);
}

std::string step_header(const Document& document, std::span<const std::string> notes) {
  std::string text =
      comment_line(fmt::format("collbench {}: {}", document.run.version, document.config.program));
  for (const std::string& note : notes) text += comment_line(note);
  for (const auto& [name, library] : document.environment.libraries) {
    text += comment_line(fmt::format("{}: {}", name, library));
  }
  return text;
}

std::string step_table(const StepRecord& record) {
  std::string text = "#\n" + head(record);
  if (!record.reason.empty()) {
    text += comment_line(fmt::format("{}: {}", name_of(record.status), record.reason));
  }
  if (!record.step) return text;
  return text + times(record) + sizes(record) + messages(record) + axis_table(record) +
         balance_table(record.balancing) + flag_line(record);
}

std::string scaling_table(const ScalingReport& report) {
  std::string text =
      "#\n" +
      comment_line(fmt::format(
          "{} scaling over {}; efficiency is throughput / (ranks x that of {})",
          report.weak ? "weak" : "strong", report.axis, counted(report.base_ranks, "rank")));
  text += fmt::format("#   {:>6}{:>8}{:>14}{:>14}{:>12}{:>12}{:>12}\n", report.axis, "ranks",
                      "step (ms)", "tokens/s", "efficiency", "marginal", "exposed");
  for (const ScalingPoint& point : report.points) {
    text += fmt::format("    {:>6}{:>8}{:>14}{:>14.0f}{:>12.3f}{:>12}{:>12}{}\n", point.degree,
                        point.ranks, in_milliseconds(point.step_s), point.tokens_per_s,
                        point.efficiency, cell(point.marginal_efficiency, 1, 3),
                        cell(point.exposed_share, 1, 3),
                        point.efficiency > kSuperlinear ? "  superlinear: look at the base" : "");
  }
  for (const ScalingGap& gap : report.left_out) {
    text += comment_line(fmt::format("{} {}, {}: left out: {}", report.axis, gap.degree,
                                     counted(gap.ranks, "rank"), gap.reason));
  }
  return text;
}

}  // namespace collbench
