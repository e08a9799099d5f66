// SPDX-License-Identifier: Apache-2.0
#include "model/feasibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/errors.h"

namespace collbench::model {
namespace {

constexpr int kMostMicroBatches = 1 << 24;
constexpr double kMostBytes = 9e18;  // below 2^63

/// Gathers what is broken.
class Rules {
 public:
  template <class... Values>
  void require(bool holds, std::string_view rule, fmt::format_string<Values...> text,
               Values&&... values) {
    if (!holds) broken_.push_back({rule, fmt::format(text, std::forward<Values>(values)...)});
  }

  bool all_hold() const { return broken_.empty(); }
  std::vector<Infeasible> broken() && { return std::move(broken_); }

 private:
  std::vector<Infeasible> broken_;
};

// ---- the grids

void check_sizes(const Layout& layout, Rules& rules) {
  std::int64_t product = 1;
  for (const int size : {layout.tp, layout.cp, layout.cp_a2a, layout.ep, expert_tp(layout),
                         layout.dp, layout.replicas, layout.pp, layout.vpp}) {
    rules.require(size >= 1, "sizes", "a degree of parallelism is {}: each must be at least 1",
                  size);
  }
  for (const int size : {layout.tp, layout.cp, layout.dp, layout.pp}) {
    product = std::min(product * std::max(size, 1), std::int64_t{2} * kMostRanks);
  }
  rules.require(product <= kMostRanks, "sizes",
                "tp * cp * dp * pp is more than {} ranks, the most that a layout may have",
                kMostRanks);
  for (const int size : {layout.ep, expert_tp(layout), layout.vpp}) {
    rules.require(size <= kMostRanks, "sizes", "{} is more than {}, the most that a degree may be",
                  size, kMostRanks);
  }
}

bool divides(int divisor, Count whole) { return whole % static_cast<Count>(divisor) == 0; }

/// How many ranks lie between neighbours of a pipeline, in the grid of dense layers or of experts.
int pipeline_stride(const Layout& layout, bool of_experts) {
  int stride = 1;
  for (const Dimension dimension : layout.order) {
    if (dimension == Dimension::pp) break;
    if (dimension == Dimension::tp) stride *= of_experts ? expert_tp(layout) : layout.tp;
    if (dimension == Dimension::dp) stride *= of_experts ? expert_dp(layout) : layout.dp;
    if (dimension == Dimension::cp && !of_experts) stride *= layout.cp;
    if (dimension == Dimension::ep && of_experts) stride *= layout.ep;
  }
  return stride;
}

/// Whether the layout says anything of experts.
bool divides_experts(const Layout& layout) { return layout.ep > 1 || layout.etp; }

void check_pipelines(const Layout& layout, Rules& rules) {
  rules.require(layout.pp == 1 || pipeline_stride(layout, false) == pipeline_stride(layout, true),
                "pipelines agree",
                "in this order the pipelines of dense layers and of experts join different ranks; "
                "put pp last in --order, or make etp * ep = tp * cp");
}

void check_grids(const Layout& layout, Rules& rules) {
  rules.require(layout.dp % layout.replicas == 0, "replicas divide dp",
                "{} replicas do not divide dp = {}; change the replicas, or dp", layout.replicas,
                layout.dp);
  rules.require(layout.cp % layout.cp_a2a == 0, "cp_a2a divides cp",
                "{} ranks that exchange heads do not divide cp = {}; change --cp-a2a, or cp",
                layout.cp_a2a, layout.cp);
  const std::int64_t copy = std::int64_t{expert_tp(layout)} * layout.ep;
  const int stage = layout.tp * layout.cp * layout.dp;
  const bool carved = stage % copy == 0;
  rules.require(carved, "etp * ep divides tp * cp * dp",
                "etp * ep = {} * {} = {} does not divide tp * cp * dp = {}: experts are carved out "
                "of the ranks of one stage; change ep, etp or dp",
                expert_tp(layout), layout.ep, copy, stage);
  if (!carved) return;
  rules.require(expert_dp(layout) % layout.replicas == 0, "replicas divide edp",
                "{} replicas do not divide tp * cp * dp / (etp * ep) = {}, the ranks that hold the "
                "same experts; change the replicas, ep or etp",
                layout.replicas, expert_dp(layout));
  if (divides_experts(layout)) check_pipelines(layout, rules);
  rules.require(layout.vpp == 1 || layout.pp > 1, "vpp needs pp",
                "{} stages per rank need a pipeline; set pp above 1, or vpp to 1", layout.vpp);
}

// ---- the model on the grids

void check_tensor_parallel(const Model& model, const Layout& layout, Rules& rules) {
  const int t = layout.tp;
  rules.require(model.heads % t == 0, "tp divides heads",
                "tp = {} does not divide the {} heads of {}; choose a tp that does", t, model.heads,
                model.name);
  if (!model.latent_attention) {
    rules.require(model.kv_heads % t == 0 || t % model.kv_heads == 0, "tp fits kv_heads",
                  "tp = {} neither divides the {} key-value heads of {} nor is a multiple of them; "
                  "choose a tp that is",
                  t, model.kv_heads, model.name);
  }
  if (expert_layers(model) < model.layers) {
    rules.require(divides(t, model.ffn), "tp divides ffn",
                  "tp = {} does not divide the ffn of {}, {}; choose a tp that does", t, model.name,
                  model.ffn);
  }
}

void check_experts(const Model& model, const Layout& layout, const Step& step, Rules& rules) {
  if (!model.experts) {
    rules.require(layout.ep == 1 && expert_tp(layout) == layout.tp, "ep needs experts",
                  "{} has no experts: set ep to 1 and leave etp out", model.name);
    return;
  }
  if (!divides_experts(layout)) check_pipelines(layout, rules);
  const Experts& experts = *model.experts;
  rules.require(experts.routed % layout.ep == 0, "ep divides experts",
                "ep = {} does not divide the {} experts of {}; choose an ep that does", layout.ep,
                experts.routed, model.name);
  rules.require(divides(expert_tp(layout), experts.ffn), "etp divides the experts' ffn",
                "etp = {} does not divide the ffn of the experts of {}, {}; choose an etp that "
                "does",
                expert_tp(layout), model.name, experts.ffn);
  rules.require(divides(layout.tp, experts.shared * experts.ffn), "tp divides the shared ffn",
                "tp = {} does not divide the ffn of the shared experts of {}, {}; choose a tp that "
                "does",
                layout.tp, model.name, experts.shared * experts.ffn);
  rules.require(
      layout.tp == 1 || step.sequence_parallel, "tp with experts needs sequence parallelism",
      "tp = {} with the experts of {} needs sequence parallelism, or each tensor-parallel "
      "rank would route the same tokens; turn it on, or set tp to 1",
      layout.tp, model.name);
}

/// An upper bound of what a rank sends in a step, in bytes: of activations and of parameters.
double most_bytes(const Model& model, const Layout& layout, const Step& step) {
  const auto of = [](auto number) { return static_cast<double>(number); };
  constexpr double kTimes = 64;  // more than any scheme sends a tensor, in bytes per element
  const double copies = model.experts ? 1.0 * model.experts->per_token * expert_tp(layout) : 1;
  const double width = std::max(of(model.hidden), model.heads * of(query_head_dim(model)));
  const double inner = std::max(of(model.ffn), model.experts ? of(model.experts->ffn) : 0);
  const double matrices = model.experts ? 3.0 * (model.experts->routed + model.experts->shared) : 3;
  const double blocks = model.layers + model.prediction_layers + 1.0;
  const double tokens = of(step.sequence) * of(step.micro_batch);
  const double parameters =
      blocks * width * (8 * width + matrices * inner) + 2 * of(model.vocabulary) * width;
  return kTimes * step.micro_batches * (blocks * tokens * width * copies + parameters);
}

void check_sequence(const Model& model, const Layout& layout, const Step& step, Rules& rules) {
  const bool positive = step.sequence >= 1 && step.micro_batch >= 1 && step.micro_batches >= 1;
  rules.require(positive, "step",
                "sequence, micro-batch and number of micro-batches must be at least 1");
  rules.require(!positive || most_bytes(model, layout, step) < kMostBytes, "step",
                "{} micro-batches of {} x {} tokens send more bytes than can be counted; choose "
                "fewer",
                step.micro_batches, step.micro_batch, step.sequence);
  rules.require(layout.cp == 1 || divides(2 * layout.cp, step.sequence), "2 * cp divides sequence",
                "2 * cp = {} does not divide the sequence of {} tokens: each rank takes one piece "
                "from its start and one from its end; change cp or the sequence",
                2 * layout.cp, step.sequence);
  rules.require(!step.sequence_parallel || divides(layout.cp * layout.tp, step.sequence),
                "cp * tp divides sequence",
                "cp * tp = {} does not divide the sequence of {} tokens, as sequence parallelism "
                "needs; change them, or turn it off",
                layout.cp * layout.tp, step.sequence);
}

void check_stages(const Model& model, const Layout& layout, const Step& step, Rules& rules) {
  const std::int64_t stages = std::int64_t{layout.pp} * layout.vpp;
  if (layout.stage_layers.empty()) {
    rules.require(model.layers % stages == 0, "stages divide layers",
                  "pp * vpp = {} does not divide the {} layers of {}; choose others, or say with "
                  "--stage-layers how many layers each stage has",
                  stages, model.layers, model.name);
  } else {
    const auto& given = layout.stage_layers;
    const int sum = std::accumulate(given.begin(), given.end(), 0);
    rules.require(static_cast<std::int64_t>(given.size()) == stages && sum == model.layers &&
                      *std::min_element(given.begin(), given.end()) >= 0,
                  "stage layers",
                  "--stage-layers names {} stages with {} layers in all, but there are pp * vpp = "
                  "{} stages, and {} has {} layers",
                  given.size(), sum, stages, model.name, model.layers);
  }
  rules.require(layout.vpp == 1 || step.micro_batches % layout.pp == 0,
                "pp divides micro-batches when interleaved",
                "the interleaved schedule takes micro-batches in groups of pp = {}, which does not "
                "divide {}; change their number, or set vpp to 1",
                layout.pp, step.micro_batches);
}

[[noreturn]] void refuse(const Infeasible& rule) {
  throw UserError(fmt::format("impossible layout: {}", rule.message));
}

}  // namespace

std::vector<Infeasible> broken_rules(const Layout& layout) {
  Rules rules;
  check_sizes(layout, rules);
  if (rules.all_hold()) check_grids(layout, rules);
  return std::move(rules).broken();
}

std::vector<Infeasible> broken_rules(const Model& model, const Layout& layout, const Step& step) {
  std::vector<Infeasible> broken = broken_rules(layout);
  if (!broken.empty()) return broken;
  Rules rules;
  check_tensor_parallel(model, layout, rules);
  check_experts(model, layout, step, rules);
  check_sequence(model, layout, step, rules);
  check_stages(model, layout, step, rules);
  return std::move(rules).broken();
}

void require_feasible(const Model& model, const Layout& layout, const Step& step) {
  const std::vector<Infeasible> broken = broken_rules(model, layout, step);
  if (!broken.empty()) refuse(broken.front());
}

void require_ranks(const Layout& layout, int given) {
  if (ranks(layout) == given) return;
  refuse({"ranks", fmt::format("tp * cp * dp * pp = {} * {} * {} * {} = {}, but there are {} "
                               "ranks; change one of them, or the number of ranks (ep is carved "
                               "out of dp, cp and tp and is no factor)",
                               layout.tp, layout.cp, layout.dp, layout.pp, ranks(layout), given)});
}

int micro_batches_of(Count global_batch, Count micro_batch, const Layout& layout) {
  const Count together = micro_batch * static_cast<Count>(layout.dp);
  if (together == 0 || global_batch == 0 || global_batch % together != 0) {
    throw UserError(
        fmt::format("a global batch of {} sequences is no multiple of micro-batch * dp = {} * {}; "
                    "change one of the three",
                    global_batch, micro_batch, layout.dp));
  }
  const Count number = global_batch / together;
  if (number > static_cast<Count>(kMostMicroBatches)) {
    throw UserError(fmt::format("{} micro-batches are more than {}, the most there may be", number,
                                kMostMicroBatches));
  }
  return static_cast<int>(number);
}

void require_ulysses(const Model& model, const Layout& layout, int sharing) {
  const int heads = model.heads / layout.tp;
  const int kv_heads = model.latent_attention ? heads : std::max(model.kv_heads / layout.tp, 1);
  if (heads % sharing != 0) {
    refuse({"cp divides heads",
            fmt::format("Ulysses gives each context-parallel rank whole heads, and {} ranks do not "
                        "divide the {} heads that a rank of tp = {} has; change cp, or use a ring",
                        sharing, heads, layout.tp)});
  }
  if (kv_heads % sharing == 0 || sharing % kv_heads == 0) return;
  refuse({"cp fits kv_heads",
          fmt::format("Ulysses gives each context-parallel rank whole heads, and {} ranks neither "
                      "divide the {} key-value heads that a rank of tp = {} has nor are a multiple "
                      "of them; change cp, or use a ring",
                      sharing, kv_heads, layout.tp)});
}

}  // namespace collbench::model
