// SPDX-License-Identifier: Apache-2.0
// For tests: every scheme of parallelism on a few ranks, with a model so small that its data can be
// moved and checked byte by byte.
#pragma once

#include <fmt/format.h>

#include <vector>

#include "plan/exact_schemes.h"

namespace collbench::replay {

inline model::Model tiny_model() {
  model::Model model = plan::small_model();
  model.name = "tiny";
  model.layers = 4;
  model.hidden = 32;
  model.ffn = 64;
  model.heads = 8;
  model.kv_heads = 4;
  model.head_dim = 4;
  model.vocabulary = 128;
  model.sequence = 32;
  return model;
}

/// Two of four layers are a mixture of experts.
inline model::Model tiny_mixture() {
  model::Model model = tiny_model();
  model.experts = {.routed = 8, .per_token = 2, .ffn = 16, .shared = 1, .dense_layers = 2};
  return model;
}

inline model::Model tiny_latent(model::Model model) {
  model.latent_attention = {
      .query_rank = 16, .kv_rank = 8, .nope_head_dim = 8, .rope_head_dim = 4, .value_head_dim = 8};
  return model;
}

inline model::Step tiny_step(int micro_batches) {
  model::Step step;
  step.micro_batches = micro_batches;
  step.sequence = 32;
  return step;
}

using Cases = std::vector<plan::Case>;

inline void add_data_parallel(Cases& cases) {
  for (const plan::DataParallelRow& row : plan::kDataParallel) {
    for (const int ranks : {1, 2, 3, 8}) {
      for (const DataType type : {DataType::float32, DataType::bfloat16}) {
        plan::Case c{fmt::format("{} of {} {}", row.name, ranks, name_of(type)),
                     plan::layout_of(1, 1, ranks, 1), tiny_step(2),
                     plan::with(plan::DataParallelOptions{row.scheme, 1 << 13, ranks != 3}),
                     tiny_model()};
        c.step.gradients = type;
        cases.push_back(c);
      }
    }
  }
}

inline plan::ZeroOptions tiny_zero(plan::Zero scheme, bool eager) {
  plan::ZeroOptions options;
  options.scheme = scheme;
  options.overlap = options.reshard = options.prefetch = options.gather_with_forward = eager;
  options.bucket_elements = 5000;
  options.prefetch_elements = 2000;
  options.reuse_elements = eager ? 0 : 15000;
  options.persistent_elements = eager ? 100 : 0;
  return options;
}

inline plan::Case zero_case(const plan::ZeroOptions& options, const model::Layout& layout) {
  const plan::ZeroRow& row = plan::kZero[static_cast<std::size_t>(options.scheme)];
  plan::Case c{
      fmt::format("{} overlap {} owners {} groups {} tp {} cp {} dp {} replicas {}", row.name,
                  options.overlap, options.reduce_to_owners, options.reshard_in_groups, layout.tp,
                  layout.cp, layout.dp, layout.replicas),
      layout, tiny_step(2), plan::with(options), tiny_model()};
  c.step.gradients = row.gradients;
  return c;
}

inline void add_zero(Cases& cases) {
  using plan::layout_of;
  for (const plan::ZeroRow& row : plan::kZero) {
    for (const bool eager : {true, false}) {
      for (const model::Layout& layout :
           {layout_of(1, 1, 1, 1), layout_of(1, 1, 2, 1), layout_of(1, 1, 3, 1),
            layout_of(1, 1, 8, 1), layout_of(1, 1, 8, 1, 2), layout_of(1, 1, 4, 1, 4),
            layout_of(2, 1, 4, 1, 2), layout_of(1, 2, 4, 1, 2)}) {
        plan::ZeroOptions options = tiny_zero(row.scheme, eager);
        cases.push_back(zero_case(options, layout));
        const bool has_owners =
            row.scheme == plan::Zero::deepspeed1 || row.scheme == plan::Zero::deepspeed2;
        if (has_owners) {
          options.reduce_to_owners = true;
          cases.push_back(zero_case(options, layout));
        }
        if (row.scheme == plan::Zero::fsdp2 && eager && layout.replicas > 1) {
          options.reshard_in_groups = true;
          cases.push_back(zero_case(options, layout));
        }
      }
    }
  }
}

inline void add_tensor_parallel(Cases& cases) {
  for (const auto implementation :
       {model::TensorParallel::megatron, model::TensorParallel::dtensor}) {
    for (const bool sequence_parallel : {true, false}) {
      for (const int tp : {2, 4}) {
        plan::Case c{
            fmt::format("tp {} dtensor {} sequence {}", tp,
                        implementation == model::TensorParallel::dtensor, sequence_parallel),
            plan::layout_of(tp, 1, 2, 1),
            tiny_step(2),
            {},
            tiny_model()};
        c.step.sequence_parallel = sequence_parallel;
        c.step.recompute = tp == 2 ? model::Recompute::full : model::Recompute::none;
        c.scheme.tensor = {implementation, tp == 2};
        cases.push_back(c);
      }
    }
  }
}

inline void add_pipelines(Cases& cases) {
  for (const plan::ScheduleRow& schedule : plan::kSchedules) {
    for (const plan::StageMessagesRow& messages : plan::kStageMessages) {
      for (const int pp : {2, 4}) {
        const bool interleaved = schedule.schedule == plan::Schedule::interleaved;
        const int vpp = interleaved && pp == 2 ? 2 : 1;
        plan::Case c{fmt::format("{} {} pp {}", schedule.name, messages.name, pp),
                     plan::layout_of(1, 1, 8 / pp, pp, 1, vpp),
                     tiny_step(4),
                     {},
                     tiny_model()};
        c.scheme.pipeline = {schedule.schedule, messages.messages};
        c.model.tied_embeddings = pp == 4;
        cases.push_back(c);
      }
    }
  }
}

inline void add_experts(Cases& cases) {
  const auto with_experts = [](model::Layout layout, int ep, int etp) {
    layout.ep = ep;
    layout.etp = etp;
    return layout;
  };
  for (const model::Model& model : {tiny_mixture(), tiny_latent(tiny_mixture())}) {
    for (const model::Layout& layout : {with_experts(plan::layout_of(1, 1, 4, 1), 2, 1),
                                        with_experts(plan::layout_of(2, 1, 4, 1), 1, 2),
                                        with_experts(plan::layout_of(2, 1, 2, 2), 2, 1),
                                        with_experts(plan::layout_of(2, 1, 4, 1), 2, 2)}) {
      for (const plan::Zero zero : {plan::Zero::fsdp2, plan::Zero::megatron}) {
        plan::Case c = zero_case(tiny_zero(zero, zero == plan::Zero::fsdp2), layout);
        c.name += fmt::format(" experts ep {} etp {} pp {} latent {}", layout.ep, *layout.etp,
                              layout.pp, model.latent_attention.has_value());
        c.model = model;
        c.scheme.experts.overlaps_shared = zero == plan::Zero::megatron;
        cases.push_back(c);
      }
    }
  }
}

/// Ranks with different numbers of tokens for each other, of which some may have none.
inline void add_routings(Cases& cases) {
  for (const char* routing : {"zipf:1.5,seed:3", "hot:1", "zipf:1,capacity:1"}) {
    for (const int pp : {1, 2}) {
      plan::Case c{fmt::format("routing {} pp {}", routing, pp),
                   plan::layout_of(1, 1, 4, pp),
                   tiny_step(2),
                   {},
                   tiny_mixture()};
      c.layout.ep = 4;
      c.step.recompute = pp == 2 ? model::Recompute::full : model::Recompute::none;
      c.scheme.experts.routing.spec = routing::parse_routing_spec(routing, "--routing");
      cases.push_back(c);
    }
  }
}

inline void add_dispatchers(Cases& cases) {
  for (const plan::DispatcherRow& row : plan::kDispatchers) {
    for (const char* routing : {"balanced", "zipf:1.5,seed:3"}) {
      plan::Case c{fmt::format("dispatcher {} routing {}", row.name, routing),
                   plan::layout_of(2, 1, 4, 1),
                   tiny_step(1),
                   {},
                   tiny_mixture()};
      c.layout.ep = row.dispatcher == plan::Dispatcher::allgather ? 4 : 8;
      c.layout.etp = 8 / c.layout.ep;
      c.scheme.experts.routing.spec = routing::parse_routing_spec(routing, "--routing");
      c.scheme.experts.dispatcher = row.dispatcher;
      c.scheme.experts.type = plan::DispatchType::fp8;
      c.scheme.experts.ranks_per_node = 4;
      cases.push_back(c);
    }
  }
}

inline void add_context_parallel(Cases& cases) {
  for (const plan::ContextParallelRow& row : plan::kContextParallel) {
    for (const plan::ContextSplitRow& split : plan::kContextSplits) {
      for (const model::Layout& layout :
           {plan::layout_of(1, 4, 1, 1), plan::layout_of(2, 2, 1, 2)}) {
        plan::Case c{fmt::format("{} {} tp {} cp {} dp {} pp {}", row.name, split.name, layout.tp,
                                 layout.cp, layout.dp, layout.pp),
                     layout,
                     tiny_step(2),
                     {},
                     tiny_model()};
        c.step.recompute = layout.tp == 2 ? model::Recompute::full : model::Recompute::none;
        c.scheme.context = {row.scheme, split.split};
        if (row.scheme == model::ContextParallel::hierarchical) c.layout.cp_a2a = 2;
        cases.push_back(c);
      }
    }
  }
  plan::Case latent{"p2p of latent attention",
                    plan::layout_of(2, 2, 1, 1),
                    tiny_step(1),
                    {},
                    tiny_latent(tiny_model())};
  cases.push_back(latent);
}

inline Cases scheme_cases() {
  Cases cases;
  add_data_parallel(cases);
  add_zero(cases);
  add_tensor_parallel(cases);
  add_pipelines(cases);
  add_experts(cases);
  add_routings(cases);
  add_dispatchers(cases);
  add_context_parallel(cases);
  plan::Case all{"all together", plan::layout_of(2, 1, 2, 2, 2, 2), tiny_step(4),
                 plan::with(tiny_zero(plan::Zero::megatron, true)), tiny_model()};
  all.scheme.pipeline = {plan::Schedule::interleaved, plan::StageMessages::pairs};
  cases.push_back(all);
  return cases;
}

inline plan::Plan plan_of(const plan::Case& c) {
  return plan::training_step(c.name, c.model, c.layout, c.step, c.scheme);
}

}  // namespace collbench::replay
