// SPDX-License-Identifier: Apache-2.0
#include "cli/training_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/counted.h"
#include "base/errors.h"
#include "base/named_rows.h"
#include "cli/numbers.h"
#include "model/feasibility.h"
#include "model/model_json.h"
#include "model/presets.h"
#include "results/open_file.h"

namespace collbench {
namespace {

using Text = std::optional<std::string>;

// More is refused as a layout, but must first fit an int.
constexpr std::uint64_t kMostDegree = 1 << 24;
constexpr Count kMostTokens = Count{1} << 32;

void set_degree(const Text& text, std::string_view flag, int& degree) {
  if (text) degree = static_cast<int>(parse_count(*text, flag, 1, kMostDegree));
}

/// "7,14*8,7": sixteen stages, all but the ends of 8 layers.
std::vector<int> parse_stage_layers(std::string_view text, std::string_view flag) {
  constexpr std::size_t kMostStages = 1 << 16;
  std::vector<int> layers;
  while (true) {
    const std::size_t length = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, length);
    const std::size_t star = word.find('*');
    const bool repeated = star != std::string_view::npos;
    const auto times = repeated ? parse_count(word.substr(0, star), flag, 1, kMostStages) : 1;
    const std::string_view each = repeated ? word.substr(star + 1) : word;
    const std::uint64_t value = parse_count(each, flag, 0);
    if (value > kMostDegree || layers.size() + times > kMostStages) {
      throw UserError(fmt::format("{}: '{}' is more than a model has", flag, word));
    }
    layers.insert(layers.end(), times, static_cast<int>(value));
    if (length == text.size()) return layers;
    text.remove_prefix(length + 1);
  }
}

/// The types in which frameworks reduce gradients.
struct GradientType {
  std::string_view name;
  DataType value;
};
constexpr std::array<GradientType, 3> kGradientTypes = {
    {{name_of(DataType::float32), DataType::float32},
     {name_of(DataType::bfloat16), DataType::bfloat16},
     {name_of(DataType::half), DataType::half}}};

/// What tp, cp and pp leave of the ranks.
int left_for_dp(const model::Layout& layout, int ranks) {
  const std::int64_t others = std::int64_t{layout.tp} * layout.cp * layout.pp;
  if (ranks % others != 0) {
    throw UserError(
        fmt::format("impossible layout: tp * cp * pp = {} * {} * {} does not divide "
                    "the {}; change one of them, or the number of ranks",
                    layout.tp, layout.cp, layout.pp, counted(ranks, "rank")));
  }
  return static_cast<int>(ranks / others);
}

}  // namespace

void TrainingFlags::declare(CommandLine& line) {
  line.heading("Model");
  line.value("--model", model_, "a built-in model; collbench models lists them");
  line.value("--model-file", model_file_, "a model of your own, see docs/patterns/models.md");
  line.heading("Layout");
  for (const ValueFlag& flag : layout_flags()) line.value(flag.name, this->*flag.text, flag.help);
  line.heading("Step");
  for (const ValueFlag& flag : step_flags()) line.value(flag.name, this->*flag.text, flag.help);
  line.flag("--no-sequence-parallel", no_sequence_parallel_,
            "tensor parallel ranks hold norms whole");
}

std::vector<TrainingFlags::ValueFlag> TrainingFlags::layout_flags() {
  const model::Layout usual;
  const auto degree = [&](const char* name, Text TrainingFlags::*text, int model::Layout::*target,
                          std::string_view what) {
    return ValueFlag{name, text, fmt::format("{} ({})", what, usual.*target), target};
  };
  using model::Layout;
  return {
      degree("--tp", &TrainingFlags::tp_, &Layout::tp,
             "ranks that share each layer (tensor parallel)"),
      degree("--cp", &TrainingFlags::cp_, &Layout::cp,
             "ranks that share each sequence (context parallel)"),
      degree("--cp-a2a", &TrainingFlags::cp_a2a_, &Layout::cp_a2a,
             "of cp: neighbours that exchange heads, the others form rings"),
      degree("--pp", &TrainingFlags::pp_, &Layout::pp, "stages of the pipeline"),
      degree("--vpp", &TrainingFlags::vpp_, &Layout::vpp, "stages per rank (interleaved schedule)"),
      {"--dp", &TrainingFlags::dp_, "data parallel ranks (what the others leave)", &Layout::dp},
      degree("--replicas", &TrainingFlags::replicas_, &Layout::replicas,
             "of dp: groups that each hold all shards (HSDP)"),
      degree("--ep", &TrainingFlags::ep_, &Layout::ep,
             "ranks that share the experts, carved out of tp * cp * dp"),
      {"--etp", &TrainingFlags::etp_, "ranks that share each expert (tp)"},
      {"--order", &TrainingFlags::order_,
       fmt::format("{}, or the dimensions, the fastest first ({})", list_names(model::kOrders),
                   model::format(usual.order))},
      {"--stage-layers", &TrainingFlags::stage_layers_,
       "layers of each stage: 7,14*8,7 is 7, then 14 stages of 8, then 7 (equally many)"},
  };
}

std::vector<TrainingFlags::ValueFlag> TrainingFlags::step_flags() {
  const model::Step usual;
  return {
      {"--micro-batch", &TrainingFlags::micro_batch_,
       fmt::format("sequences in a micro-batch ({})", usual.micro_batch)},
      {"--micro-batches", &TrainingFlags::micro_batches_,
       fmt::format("micro-batches of a step, per pipeline ({})", usual.micro_batches)},
      {"--global-batch", &TrainingFlags::global_batch_,
       "sequences of a step, instead of --micro-batches"},
      {"--sequence", &TrainingFlags::sequence_, "tokens of a sequence (the model's)"},
      {"--recompute", &TrainingFlags::recompute_,
       fmt::format("{}; selective is attention's products ({})", list_names(model::kRecomputes),
                   name_of(usual.recompute))},
      {"--gradient-type", &TrainingFlags::gradient_type_,
       fmt::format("{} (float; of DeepSpeed bfloat16)", list_names(kGradientTypes))},
  };
}

bool TrainingFlags::says_how() const {
  const auto is_given = [&](const ValueFlag& flag) { return (this->*flag.text).has_value(); };
  const auto layout = layout_flags(), step = step_flags();
  return no_sequence_parallel_ || std::any_of(layout.begin(), layout.end(), is_given) ||
         std::any_of(step.begin(), step.end(), is_given);
}

model::Model TrainingFlags::model() const {
  if (model_ && model_file_) {
    throw UserError("--model and --model-file exclude each other; give one");
  }
  if (model_file_) return model::model_from_json(read_file(*model_file_), *model_file_);
  if (model_) return model::preset(*model_);
  throw UserError("a model is missing; give --model or --model-file; collbench models lists them");
}

model::Layout TrainingFlags::layout(std::optional<int> ranks) const {
  model::Layout layout;
  for (const ValueFlag& flag : layout_flags()) {
    if (flag.degree != nullptr) set_degree(this->*flag.text, flag.name, layout.*flag.degree);
  }
  if (etp_) set_degree(etp_, "--etp", layout.etp.emplace());
  if (order_) layout.order = model::parse_order(*order_, "--order");
  if (stage_layers_) layout.stage_layers = parse_stage_layers(*stage_layers_, "--stage-layers");
  if (!dp_ && ranks) {
    layout.dp = left_for_dp(layout, *ranks);
    return layout;
  }
  if (ranks && model::broken_rules(layout).empty()) model::require_ranks(layout, *ranks);
  return layout;
}

model::Step TrainingFlags::step(const model::Model& model, const model::Layout& layout,
                                DataType usual_gradients) const {
  model::Step step{.sequence = model.sequence,
                   .sequence_parallel = !no_sequence_parallel_,
                   .gradients = usual_gradients};
  if (micro_batch_) step.micro_batch = parse_count(*micro_batch_, "--micro-batch", 1, kMostDegree);
  if (sequence_) step.sequence = parse_count(*sequence_, "--sequence", 1, kMostTokens);
  if (recompute_) {
    step.recompute =
        find_named(model::kRecomputes, *recompute_, "--recompute", "kind of recomputation")
            .recompute;
  }
  if (gradient_type_) {
    step.gradients =
        find_named(kGradientTypes, *gradient_type_, "--gradient-type", "type of gradients").value;
  }
  if (micro_batches_ && global_batch_) {
    throw UserError("--micro-batches and --global-batch exclude each other; give one");
  }
  set_degree(micro_batches_, "--micro-batches", step.micro_batches);
  if (global_batch_) {
    const Count sequences = parse_count(*global_batch_, "--global-batch", 1, kMostTokens);
    step.micro_batches = model::micro_batches_of(sequences, step.micro_batch, layout);
  }
  return step;
}

}  // namespace collbench
