// SPDX-License-Identifier: Apache-2.0
// Every closed form of traffic by name: one row each.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "model/closed_forms.h"

namespace collbench::model {

struct Scheme {
  std::string_view name;
  std::string_view what;
  Volumes (*volumes)(const Model& model, const Layout& layout, const Step& step, int pp);
};

template <TensorParallel kImplementation>
Volumes tensor_parallel_by(const Model& model, const Layout& layout, const Step& step, int pp) {
  return tensor_parallel_layers(model, layout, step, pp, kImplementation);
}

template <ContextParallel kVariant>
Volumes context_parallel_by(const Model& model, const Layout& layout, const Step& step, int pp) {
  return context_parallel(model, layout, step, pp, kVariant);
}

template <bool kReshard>
Volumes fsdp2_by(const Model& model, const Layout& layout, const Step& step, int pp) {
  return fsdp2(model, layout, step, pp, kReshard);
}

template <bool kFused>
Volumes loss_by(const Model& model, const Layout& layout, const Step& step, int pp) {
  return vocabulary_parallel_loss(model, layout, step, pp, kFused);
}

/// Of data parallelism a run uses one; of tensor and of context parallelism too.
inline constexpr std::array<Scheme, 25> kSchemes = {{
    {"ddp", "gradients, all-reduced", ddp},
    {"megatron-distributed", "Megatron's distributed optimizer", megatron_distributed_optimizer},
    {"deepspeed-zero1", "DeepSpeed stage 1", deepspeed_zero1},
    {"zero1-to-owners", "the same, each part of the gradients reduced to its owner",
     deepspeed_zero1_to_owners},
    {"deepspeed-zero2", "DeepSpeed stage 2", deepspeed_zero2},
    {"zero2-to-owners", "the same, each part of the gradients reduced to its owner",
     deepspeed_zero2_to_owners},
    {"deepspeed-zero3", "DeepSpeed stage 3, at most", deepspeed_zero3},
    {"fsdp2", "FSDP2; with replicas HSDP", fsdp2_by<true>},
    {"fsdp2-no-reshard", "FSDP2, layers stay gathered for the backward pass", fsdp2_by<false>},
    {"fsdp2-in-groups", "FSDP2, layers in smaller shards, of a replica, for the backward pass",
     fsdp2_in_groups},
    {"zeropp", "ZeRO++: weights in 8 bits, gradients in 4", zeropp},
    {"tied-embedding", "gradient of an embedding that is also the head", tied_embedding},
    {"tp-megatron", "layers, as Megatron divides them",
     tensor_parallel_by<TensorParallel::megatron>},
    {"tp-dtensor", "layers, as PyTorch divides them", tensor_parallel_by<TensorParallel::dtensor>},
    {"tp-vocabulary", "embedding and head", vocabulary_parallel},
    {"tp-loss", "loss over a divided vocabulary", loss_by<false>},
    {"tp-loss-fused", "the same in two messages", loss_by<true>},
    {"tp-gradients", "gradients of norms", sequence_parallel_gradients},
    {"cp-ring", "keys and values in a ring (TransformerEngine)",
     context_parallel_by<ContextParallel::ring>},
    {"cp-ring-float", "the same, gradients in float (ring-flash-attention)",
     context_parallel_by<ContextParallel::ring_float_gradients>},
    {"cp-all-gather", "keys and values gathered (Llama 3)",
     context_parallel_by<ContextParallel::all_gather>},
    {"cp-all-to-all", "heads for tokens (Ulysses)",
     context_parallel_by<ContextParallel::all_to_all>},
    {"cp-hierarchical", "heads for tokens among neighbours, a ring of those (a2a+p2p)",
     context_parallel_by<ContextParallel::hierarchical>},
    {"pp", "activations and gradients between stages", pipeline},
    {"ep", "tokens to experts and back, uniform routing", expert_parallel},
}};

/// What a scheme sends in a layout; nothing where nobody shares, and a reason where its traffic is
/// not known.
struct SchemeTraffic {
  std::string_view name;
  std::string_view what;
  Volumes volumes;
  std::string reason;
};

/// By all of kSchemes, for a rank of pipeline position `pp`.
std::vector<SchemeTraffic> traffic_of(const Model& model, const Layout& layout, const Step& step,
                                      int pp);

}  // namespace collbench::model
