// SPDX-License-Identifier: Apache-2.0
#include "plan/training_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "model/feasibility.h"

namespace collbench::plan {
namespace {

std::unique_ptr<ParameterTraffic> parameter_traffic(const TrafficContext& context,
                                                    const Scheme& scheme) {
  if (const auto* options = std::get_if<ZeroOptions>(&scheme.parameters)) {
    return zero(context, *options);
  }
  return data_parallel(context, std::get<DataParallelOptions>(scheme.parameters));
}

/// A rank frees parameters block by block, and a split backward pass needs them twice.
void refuse_contradictions(const Scheme& scheme) {
  const auto* options = std::get_if<ZeroOptions>(&scheme.parameters);
  const bool reshards = options != nullptr && options->scheme == Zero::fsdp2 && options->reshard;
  if (scheme.pipeline.schedule == Schedule::zb_h1 && reshards) {
    throw UserError(
        "zb-h1 computes gradients of weights after the backward pass, when fsdp2 has freed the "
        "parameters; keep them with --no-reshard or choose another schedule");
  }
}

/// How many times the operations of a pass there are where context-parallel ranks are told apart:
/// each has a list, and in it some five more for each hop of a ring. So has each rank that shares
/// experts where they get different numbers of tokens.
Count lists_and_hops(const model::Layout& layout, const Scheme& scheme,
                     const ExpertRoutes& routes) {
  if (!routes.are_even()) return static_cast<Count>(layout.ep);
  const auto axis = context_class_axis(scheme.context, layout);
  if (!axis) return 1;
  const auto c = static_cast<Count>(model::size_of(layout, *axis));
  return c * (1 + c / 2);
}

/// A plan has some ten operations for each pass, of half a kilobyte.
void require_room(const model::Model& model, const model::Layout& layout, const model::Step& step,
                  const Scheme& scheme, const ExpertRoutes& routes) {
  constexpr Count kMostPasses = 200000;
  const auto layers = static_cast<Count>(model.layers + model.prediction_layers);
  const Count each = layers * lists_and_hops(layout, scheme, routes);
  if (each > kMostPasses && !routes.are_even()) {
    throw UserError(
        fmt::format("{} layers on {} ranks that share experts, each with work of its own, are more "
                    "than a plan has room for; choose balanced routing, or a smaller ep or fewer "
                    "layers",
                    layers, layout.ep));
  }
  if (each > kMostPasses) {
    throw UserError(
        fmt::format("{} layers on {} ranks that share a sequence, each with hops and work of its "
                    "own, are more than a plan has room for; choose another kind of context "
                    "parallelism, or a smaller cp or fewer layers",
                    layers, layout.cp));
  }
  if (each * static_cast<Count>(step.micro_batches) <= kMostPasses) return;
  throw UserError(
      fmt::format("{} micro-batches through {} layers are more than a plan has room for; choose at "
                  "most {}, since what each micro-batch adds does not change",
                  step.micro_batches, layers, kMostPasses / each));
}

class StepEnd {
 public:
  StepEnd(const TrafficContext& context, const model::Model& model, ParameterTraffic& parameters,
          const ExpertOptions& experts)
      : context_(context),
        b_(context.builder),
        model_(model),
        parameters_(parameters),
        experts_(experts) {}

  void emit() {
    reduce_replicated();
    reduce_tied_embedding();
    level_loads();
    optimize();
    parameters_.after_optimizer();
  }

 private:
  /// Under sequence parallelism each tensor-parallel rank saw a part of the tokens.
  void reduce_replicated() {
    if (!context_.step.sequence_parallel || context_.layout.tp == 1) return;
    Count elements = 0;
    for (const HeldBlock& block : context_.held.blocks) {
      if (block.kind == model::Block::Kind::embedding) continue;
      for (std::size_t t = block.tensors.first; t < block.tensors.last; ++t) {
        const model::Tensor& tensor = context_.held.tensors[t];
        if (tensor.split == model::Split::none && !tensor.expert)
          elements += model::elements(tensor);
      }
    }
    reduce("replicated gradients", "tp", model::Axis::tp, elements, DataType::float32);
  }

  void reduce_tied_embedding() {
    const int last = context_.layout.pp - 1;
    const bool holds = context_.pp == 0 || context_.pp == last;
    if (!model_.tied_embeddings || !holds) return;
    const Count rows =
        model::padded_vocabulary(model_, context_.layout) / static_cast<Count>(context_.layout.tp);
    reduce("embedding gradients", "embedding", model::Axis::embedding, rows * model_.hidden,
           context_.step.gradients);
  }

  /// All ranks of a stage add up the loads of its experts, and each changes their biases alike.
  void level_loads() {
    if (!experts_.balance || !model_.experts) return;
    const auto layers =
        static_cast<Count>(std::ranges::count_if(context_.held.blocks, [](const HeldBlock& block) {
          return std::ranges::find(block.halves, Half::Kind::experts, &Half::kind) !=
                 block.halves.end();
        }));
    if (layers == 0) return;
    const Count loads = layers * static_cast<Count>(model_.experts->routed);
    const SlotIndex slot = b_.slot("expert loads", loads * size_of(DataType::float32));
    b_.compute("count expert loads", {}, {}, {slot});
    b_.communicate("loads", "add up expert loads",
                   {collective(Collective::all_reduce, model::Axis::tp_dp_cp, DataType::float32,
                               loads, slot, slot)});
    b_.compute("update biases of experts", {}, {slot}, {});
  }

  void reduce(const char* what, const char* stream, model::Axis axis, Count elements,
              DataType type) {
    if (elements == 0) return;
    const SlotIndex slot = b_.slot(what, elements * size_of(type));
    b_.compute(std::string("collect ") + what, {}, parameters_.reduced_gradients(), {slot});
    b_.communicate(stream, std::string("reduce ") + what,
                   {collective(Collective::all_reduce, axis, type, elements, slot, slot)});
    more_gradients_.push_back(slot);
  }

  void optimize() {
    std::vector<SlotIndex> gradients = parameters_.reduced_gradients();
    gradients.insert(gradients.end(), more_gradients_.begin(), more_gradients_.end());
    b_.compute("optimizer", {}, gradients, parameters_.updated_weights());
  }

  TrafficContext context_;
  Builder& b_;
  const model::Model& model_;
  ParameterTraffic& parameters_;
  const ExpertOptions& experts_;
  std::vector<SlotIndex> more_gradients_;
};

void build_class(Plan& plan, RankClass& ranks, const model::Model& model, const Scheme& scheme,
                 const ExpertRoutes& routes) {
  const int pp = ranks.positions.front();
  const Held held = hold(model, plan.layout, pp);
  Builder builder(plan, ranks);
  const TrafficContext context = {builder, held, plan.layout, plan.step, pp};
  const auto parameters = by_holders(
      context, [&](const TrafficContext& part) { return parameter_traffic(part, scheme); });
  Passes passes(context, model, *parameters, scheme.tensor, scheme.context, scheme.experts, routes);
  pipeline_parallel(context, passes, scheme.pipeline);
  StepEnd(context, model, *parameters, scheme.experts).emit();
}

/// The pipeline position comes first: build_class and closed forms ask for it.
std::vector<model::Axis> class_axes(const model::Layout& layout, const Scheme& scheme,
                                    const ExpertRoutes& routes) {
  const auto axis = context_class_axis(scheme.context, layout);
  if (!routes.are_even() && axis) {
    throw UserError(fmt::format(
        "routing {} gives every rank of ep other work, and a ring of context parallelism every "
        "rank "
        "of {}: a plan has one or the other; choose another --cp-comm-type, or balanced routing",
        routing::to_text(scheme.experts.routing.spec), model::name_of(*axis)));
  }
  if (!routes.are_even()) return {model::Axis::pp, model::Axis::ep};
  return axis ? std::vector{model::Axis::pp, *axis} : std::vector{model::Axis::pp};
}

}  // namespace

DataType usual_gradients(const Scheme& scheme) {
  const auto* options = std::get_if<ZeroOptions>(&scheme.parameters);
  if (options == nullptr) return DataType::float32;
  return kZero[static_cast<std::size_t>(options->scheme)].gradients;
}

Plan training_step(std::string name, const model::Model& model, const model::Layout& layout,
                   const model::Step& step, const Scheme& scheme) {
  model::require_feasible(model, layout, step);
  model::require_known_tensor_traffic(model, layout, step, scheme.tensor.implementation);
  require_context_parallel(model, layout, scheme.context);
  refuse_contradictions(scheme);
  Plan drawn;  // where experts' tokens go, which says how classes differ
  const ExpertRoutes routes = expert_routes(model, layout, step, scheme.experts, drawn);
  require_room(model, layout, step, scheme, routes);
  Plan plan = make_plan(std::move(name), layout, step, class_axes(layout, scheme, routes));
  plan.model = model.name;
  plan.matrices = std::move(drawn.matrices);
  plan.tables = std::move(drawn.tables);
  plan.expert_loads = std::move(drawn.expert_loads);
  for (RankClass& ranks : plan.classes) build_class(plan, ranks, model, scheme, routes);
  return plan;
}

}  // namespace collbench::plan
