// SPDX-License-Identifier: Apache-2.0
// `collbench models`: sizes of models, and what their ranks hold.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "model/model_json.h"
#include "model/presets.h"
#include "model/summary.h"
#include "results/table.h"
#include "tools/commands.h"
#include "tools/model_text.h"

namespace collbench {
namespace {

using model::ModelSummary;

constexpr double kGiB = 1024.0 * 1024 * 1024;

std::vector<ModelSummary> summaries(const ModelsOptions& options) {
  if (options.model && options.layout) {
    return {model::summarize(*options.model, *options.layout, options.step)};
  }
  if (options.model) return {model::summarize(*options.model)};
  std::vector<ModelSummary> all;
  for (const std::string& name : model::preset_names()) {
    all.push_back(model::summarize(model::preset(name)));
  }
  return all;
}

std::string sizes(const std::vector<ModelSummary>& models) {
  std::string text = comment_line(fmt::format("{:<20} {:>17} {:>17} {:>6} {:>6} {:>8} {:>14}",
                                              "model", "parameters", "active", "layers", "hidden",
                                              "sequence", "GFLOP/token"));
  for (const ModelSummary& summary : models) {
    text += fmt::format("  {:<20} {:>17} {:>17} {:>6} {:>6} {:>8} {:>14.3f}\n", summary.model.name,
                        grouped(summary.parameters), grouped(summary.active_parameters),
                        summary.model.layers, summary.model.hidden, summary.sequence,
                        summary.training_flops / 1e9);
  }
  return text;
}

std::string operations(const ModelSummary& summary) {
  const auto line = [](std::string_view what, double flops) {
    return fmt::format("  {:<42} {:>12.3f}\n", what, flops / 1e9);
  };
  return comment_line(
             fmt::format("GFLOP per token of {} tokens, attention causal", summary.sequence)) +
         line("forward, matrices of the layers", summary.forward.matrices) +
         line("forward, attention", summary.forward.attention) +
         line("forward, head", summary.forward.head) +
         line("forward and backward", summary.training_flops) +
         line("with what is computed again", summary.executed_flops) +
         line("forward and backward, attention not causal", summary.training_flops_full_attention);
}

std::string parameters(const model::RankSummary& rank) {
  std::string text = comment_line("Parameters of a rank, by its position in the pipeline");
  text += comment_line(fmt::format("{:<8} {:>17} {:>17}", "position", "dense", "experts"));
  for (std::size_t pp = 0; pp < rank.parameters.size(); ++pp) {
    text += fmt::format("  {:<8} {:>17} {:>17}\n", pp, grouped(rank.parameters[pp].dense),
                        grouped(rank.parameters[pp].expert));
  }
  return text;
}

std::string states(const model::RankSummary& rank) {
  std::string text = comment_line(fmt::format(
      "Model states of a rank at position {}, which holds most, in GiB", rank.largest_pp));
  text += comment_line(fmt::format("{:<27} {:>11} {:>11} {:>11} {:>11}", "accounting", "parameters",
                                   "gradients", "optimizer", "total"));
  for (const auto& [accounting, bytes] : rank.states) {
    text += fmt::format("  {:<27} {:>11.3f} {:>11.3f} {:>11.3f} {:>11.3f}  {}\n", accounting->name,
                        bytes.parameters / kGiB, bytes.gradients / kGiB, bytes.optimizer / kGiB,
                        bytes.total() / kGiB, accounting->what);
  }
  return text + fmt::format("  {:<27} {:>47.3f}  gathered groups, for a moment\n", "fsdp2, on top",
                            rank.fsdp2_transient_bytes / kGiB);
}

std::string activations(const model::RankSummary& rank) {
  const auto line = [](std::string_view what, double bytes, std::string_view note) {
    return fmt::format("  {:<27} {:>47.3f}  {}\n", what, bytes / kGiB, note);
  };
  std::string text = comment_line("Activations of a rank of the first stage, in GiB");
  text += line("korthikanti", rank.activations.korthikanti, "GPT layers with f = 4h and dropout");
  if (rank.activations.megatron) {
    text += line("megatron", *rank.activations.megatron, "dense layers of any f, flash attention");
  }
  return text + line("edges, on top", rank.activations.edges, "embedding, and a head without pp");
}

}  // namespace

ExitStatus run(const ModelsOptions& options) {
  const std::vector<ModelSummary> models = summaries(options);
  if (options.json) {
    fmt::print("{}", model::to_json(models));
    return ExitStatus::ok;
  }
  fmt::print("{}", sizes(models));
  if (!options.model) return ExitStatus::ok;
  const ModelSummary& summary = models.front();
  if (!summary.model.source.empty()) {
    fmt::print("{}", comment_line("Source: " + summary.model.source));
  }
  fmt::print("{}", operations(summary));
  if (!summary.rank) return ExitStatus::ok;
  fmt::print("{}{}{}{}{}", comment_line("Layout: " + describe(summary.rank->layout)),
             comment_line("Step: " + describe(summary.rank->step)), parameters(*summary.rank),
             states(*summary.rank), activations(*summary.rank));
  return ExitStatus::ok;
}

}  // namespace collbench
