// SPDX-License-Identifier: Apache-2.0
#include "plan/scheme_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "base/named_rows.h"
#include "model/memory.h"

namespace collbench::plan {
namespace {

using Choices = std::map<std::string, std::string>;

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

void add_zero(Choices& choices, const ZeroOptions& options, const model::Layout& layout) {
  const auto add = [&](const char* name, bool value) { choices[name] = yes_or_no(value); };
  choices["zero"] = kZero[static_cast<std::size_t>(options.scheme)].name;
  switch (options.scheme) {
    case Zero::deepspeed1:
    case Zero::deepspeed2:
      add("reduce_to_owners", options.reduce_to_owners);
      choices["bucket_elements"] = std::to_string(options.bucket_elements);
      break;
    case Zero::deepspeed3:
      add("prefetch", options.prefetch);
      choices["bucket_elements"] = std::to_string(options.bucket_elements);
      choices["prefetch_elements"] = std::to_string(options.prefetch_elements);
      choices["reuse_elements"] = std::to_string(options.reuse_elements);
      choices["persistent_elements"] = std::to_string(options.persistent_elements);
      break;
    case Zero::megatron:
      add("gather_with_forward", options.gather_with_forward);
      break;
    case Zero::fsdp2:
      add("reshard", options.reshard);
      add("prefetch", options.prefetch);
      if (layout.replicas > 1) add("reshard_in_groups", options.reshard_in_groups);
      break;
    case Zero::zeropp:
      break;
  }
  add("overlap", options.overlap);
}

void add_data_parallel(Choices& choices, const DataParallelOptions& options) {
  choices["buckets"] = kDataParallel[static_cast<std::size_t>(options.scheme)].name;
  if (options.bucket_bytes) choices["bucket_bytes"] = std::to_string(*options.bucket_bytes);
  choices["overlap"] = yes_or_no(options.overlap);
}

void add_experts(Choices& choices, const ExpertOptions& options) {
  choices["routing"] = routing::identity(options.routing);
  choices["dispatcher"] = kDispatchers[static_cast<std::size_t>(options.dispatcher)].name;
  choices["dispatch_type"] = kDispatchTypes[static_cast<std::size_t>(options.type)].name;
  if (options.overlaps_shared) choices["shared_expert_overlap"] = yes_or_no(true);
  if (options.dispatcher == Dispatcher::dedup_node) {
    choices["ranks_per_node"] = std::to_string(options.ranks_per_node);
  }
  if (options.balance) {
    choices["balance"] = "bias";
    choices["balance_steps"] = std::to_string(options.balance->steps);
    choices["bias_update_rate"] = fmt::format("{}", options.balance->rate);
  }
}

model::Volumes of_parameters(const model::Model& model, const model::Layout& layout,
                             const model::Step& step, const Scheme& scheme, int pp) {
  const auto* options = std::get_if<ZeroOptions>(&scheme.parameters);
  if (options == nullptr) return model::ddp(model, layout, step, pp);
  switch (options->scheme) {
    case Zero::deepspeed1:
      return options->reduce_to_owners ? model::deepspeed_zero1_to_owners(model, layout, step, pp)
                                       : model::deepspeed_zero1(model, layout, step, pp);
    case Zero::deepspeed2:
      return options->reduce_to_owners ? model::deepspeed_zero2_to_owners(model, layout, step, pp)
                                       : model::deepspeed_zero2(model, layout, step, pp);
    case Zero::deepspeed3:
      return model::deepspeed_zero3(model, layout, step, pp);
    case Zero::megatron:
      return model::megatron_distributed_optimizer(model, layout, step, pp);
    case Zero::fsdp2:
      if (options->reshard_in_groups) return model::fsdp2_in_groups(model, layout, step, pp);
      return model::fsdp2(model, layout, step, pp, options->reshard);
    case Zero::zeropp:
      break;
  }
  return model::zeropp(model, layout, step, pp);
}

std::string_view accounting_of(const Scheme& scheme) {
  const auto* options = std::get_if<ZeroOptions>(&scheme.parameters);
  if (options == nullptr) {
    const bool megatron =
        std::get<DataParallelOptions>(scheme.parameters).scheme == DataParallel::megatron;
    return megatron ? "megatron" : "zero0";
  }
  switch (options->scheme) {
    case Zero::deepspeed1:
      return "zero1";
    case Zero::deepspeed2:
      return "zero2";
    case Zero::megatron:
      return "megatron-distributed";
    case Zero::fsdp2:
      return "fsdp2";
    case Zero::deepspeed3:
    case Zero::zeropp:
      break;
  }
  return "zero3";
}

bool is_exact(const ZeroOptions& options, const model::Layout& layout, const model::Step& step) {
  switch (options.scheme) {
    case Zero::deepspeed1:
    case Zero::deepspeed2:
      return step.gradients == DataType::bfloat16;  // as DeepSpeed reduces
    case Zero::deepspeed3:
      return false;
    case Zero::fsdp2:
      // In a pipeline gradients are reduced after the last micro-batch only.
      return layout.pp == 1 || step.micro_batches == 1;
    case Zero::megatron:
    case Zero::zeropp:
      break;
  }
  return true;
}

model::Volumes of_experts(const model::Model& model, const model::Layout& layout,
                          const model::Step& step, const Scheme& scheme, int pp) {
  if (!model.experts) return {};
  const ExpertOptions& options = scheme.experts;
  const routing::RoutingSpec& spec = options.routing.spec;
  model::ExpertDispatch dispatch;
  dispatch.gathers = options.dispatcher == Dispatcher::allgather;
  dispatch.float8 = options.type == DispatchType::fp8;
  if (spec.capacity) {
    const routing::Shape shape =
        routing::shape_of(spec, model, layout, step, options.ranks_per_node);
    dispatch.capacity = routing::capacity_rows(shape, *spec.capacity);
  }
  return model::expert_parallel(model, layout, step, pp, dispatch);
}

bool is_exact(const Scheme& scheme, const model::Model& model, const model::Layout& layout,
              const model::Step& step) {
  const bool gathers = scheme.experts.dispatcher == Dispatcher::allgather;
  if (!gathers && !are_even(model, layout, step, scheme.experts)) return false;
  if (const auto* zero = std::get_if<ZeroOptions>(&scheme.parameters)) {
    if (!is_exact(*zero, layout, step)) return false;
  }
  const bool dtensor = scheme.tensor.implementation == model::TensorParallel::dtensor;
  return layout.tp == 1 || !dtensor || !step.sequence_parallel;
}

}  // namespace

Choices choices(const Scheme& scheme, const model::Layout& layout) {
  Choices choices;
  if (const auto* zero = std::get_if<ZeroOptions>(&scheme.parameters)) {
    add_zero(choices, *zero, layout);
  } else {
    add_data_parallel(choices, std::get<DataParallelOptions>(scheme.parameters));
  }
  if (layout.tp > 1) {
    choices["tensor"] =
        kTensorParallel[static_cast<std::size_t>(scheme.tensor.implementation)].name;
    choices["fused_loss"] = yes_or_no(scheme.tensor.fused_loss);
  }
  if (layout.cp > 1) {
    const ContextOptions& context = scheme.context;
    choices["cp_comm_type"] = kContextParallel[static_cast<std::size_t>(context.scheme)].name;
    if (depends_on_split(context)) {
      choices["cp_split"] = kContextSplits[static_cast<std::size_t>(context.split)].name;
    }
  }
  if (layout.ep > 1) add_experts(choices, scheme.experts);
  if (layout.pp > 1) {
    const PipelineOptions& pipeline = scheme.pipeline;
    choices["schedule"] = kSchedules[static_cast<std::size_t>(pipeline.schedule)].name;
    choices["messages"] = kStageMessages[static_cast<std::size_t>(pipeline.messages)].name;
  }
  return choices;
}

std::vector<model::Volumes> closed_forms(const model::Model& model, const model::Layout& layout,
                                         const model::Step& step, const Scheme& scheme, int pp) {
  return {of_parameters(model, layout, step, scheme, pp),
          model::tensor_parallel_layers(model, layout, step, pp, scheme.tensor.implementation),
          model::vocabulary_parallel(model, layout, step, pp),
          model::vocabulary_parallel_loss(model, layout, step, pp, scheme.tensor.fused_loss),
          model::sequence_parallel_gradients(model, layout, step, pp),
          model::tied_embedding(model, layout, step, pp),
          model::pipeline(model, layout, step, pp),
          model::context_parallel(model, layout, step, pp, scheme.context.scheme),
          of_experts(model, layout, step, scheme, pp),
          scheme.experts.balance ? model::expert_loads(model, layout, pp) : model::Volumes{}};
}

std::optional<Bytes> closed_form_bytes(const model::Model& model, const model::Layout& layout,
                                       const model::Step& step, const Scheme& scheme, int pp) {
  if (!is_exact(scheme, model, layout, step)) return std::nullopt;
  double sum = 0;
  for (const model::Volumes& volumes : closed_forms(model, layout, step, scheme, pp)) {
    sum += model::sent_bytes(volumes, layout);
  }
  return static_cast<Bytes>(sum);
}

Bytes state_bytes(const model::Model& model, const model::Layout& layout, const Scheme& scheme) {
  const model::StateAccounting& accounting =
      find_named(model::kStateAccountings, accounting_of(scheme), "a scheme", "accounting");
  double most = 0;
  for (int pp = 0; pp < layout.pp; ++pp) {
    most = std::max(most, model::state_bytes(accounting, model, layout, pp).total());
  }
  return static_cast<Bytes>(most);
}

}  // namespace collbench::plan
