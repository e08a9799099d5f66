// SPDX-License-Identifier: Apache-2.0
// How much each scheme of parallelism sends, as formulas of (model, layout, step): what plans of
// operations are checked against, so these functions never see one.
//
// Each says what one rank takes part in during one optimizer step. Left out are scalars (norms of
// gradients, losses, overflow flags), padding of shards and buckets, and what happens once per run.
// X is a micro-batch's tensor between layers: s * b * h / c elements.
//
// Sources: ZeRO, arXiv 1910.02054; Megatron-LM, arXiv 2104.04473 and 2205.05198, and its code;
// DeepSpeed's stage_1_and_2.py and stage3.py; PyTorch's FSDP2; TransformerEngine's
// context_parallel; ring-flash-attention; DeepSpeed-Ulysses, arXiv 2309.14509; ZeRO++, arXiv
// 2306.10209.
#pragma once

#include <optional>
#include <vector>

#include "model/layout.h"
#include "model/model.h"
#include "model/step.h"
#include "traffic/traffic.h"

namespace collbench::model {

/// All operations of one kind among the ranks of one axis.
struct Volume {
  Collective collective = Collective::all_reduce;
  Axis axis = Axis::world;
  Count operations = 0;     // 0: depends on how buckets are cut
  Bytes message_bytes = 0;  // their message sizes added up, each as traffic/traffic.h defines it
  bool operator==(const Volume&) const = default;
};

/// Bytes that this rank sends for it: message bytes times the collective's bus factor.
double sent_bytes(const Volume& volume, const Layout& layout);

using Volumes = std::vector<Volume>;

double sent_bytes(const Volumes& volumes, const Layout& layout);

// ---- data parallelism: gradients and parameters of the pipeline position `pp`
//
// Psi: parameters that the rank holds; dense ones are reduced over dp_cp, and experts too, unless
// others hold them: then over edp.

/// One reduction of all gradients, after the last micro-batch.
Volumes ddp(const Model& model, const Layout& layout, const Step& step, int pp);

/// Megatron's distributed optimizer: gradients are reduce-scattered, parameters all-gathered. With
/// replicas (its instances) this happens among shards, and each shard is reduced among replicas.
Volumes megatron_distributed_optimizer(const Model& model, const Layout& layout, const Step& step,
                                       int pp);

/// DeepSpeed stage 1: an all-reduce where the paper has a reduce-scatter, then an all-gather.
Volumes deepspeed_zero1(const Model& model, const Layout& layout, const Step& step, int pp);

/// DeepSpeed stage 2: the same, and gradients are reduced after every micro-batch.
Volumes deepspeed_zero2(const Model& model, const Layout& layout, const Step& step, int pp);

/// Both with reductions of each part of the gradients to the rank that owns it (DeepSpeed's
/// use_multi_rank_bucket_allreduce: false).
Volumes deepspeed_zero1_to_owners(const Model& model, const Layout& layout, const Step& step,
                                  int pp);
Volumes deepspeed_zero2_to_owners(const Model& model, const Layout& layout, const Step& step,
                                  int pp);

/// DeepSpeed stage 3, at most: parameters are gathered twice and gradients reduce-scattered for
/// every micro-batch. DeepSpeed sends less where it keeps parameters for reuse.
Volumes deepspeed_zero3(const Model& model, const Layout& layout, const Step& step, int pp);

/// FSDP2 per micro-batch: a layer is gathered for the forward pass and, if `reshard`, again for the
/// backward pass; the root's parameters (embedding, head) once. With replicas it is HSDP: shards of
/// gradients are reduced among replicas.
Volumes fsdp2(const Model& model, const Layout& layout, const Step& step, int pp,
              bool reshard = true);

/// FSDP2 that keeps layers in smaller shards for the backward pass (reshard_after_forward: a
/// number): one copy on all ranks, another on the ranks of each replica. Nothing without replicas.
Volumes fsdp2_in_groups(const Model& model, const Layout& layout, const Step& step, int pp);

/// ZeRO++ with all three parts, shards within a node (replicas = nodes): weights gathered in 8 bits
/// over all ranks, for the backward pass from a copy in the node, gradients in 4 bits by two
/// all-to-alls, first in the node. Scales of the quantised blocks are left out.
Volumes zeropp(const Model& model, const Layout& layout, const Step& step, int pp);

/// The gradient of a tied embedding, summed over first and last stage.
Volumes tied_embedding(const Model& model, const Layout& layout, const Step& step, int pp);

// ---- tensor parallelism of the pipeline position `pp`

enum class TensorParallel : std::uint8_t {
  megatron,  // gathers a column-parallel input again in the backward pass (only its shard is kept)
  dtensor,   // PyTorch: keeps it gathered
};

/// Throws UserError with tp > 1 for prediction layers, which gather tensors of their own, and for
/// latent attention, unless it is Megatron's with sequence parallelism.
void require_known_tensor_traffic(const Model& model, const Layout& layout, const Step& step,
                                  TensorParallel implementation = TensorParallel::megatron);

/// The layers: two all-reduces forward and two backward each without sequence parallelism, with it
/// 6 all-gathers and 4 reduce-scatters (DTensor: 4 and 4). A layer of experts has the attention's
/// half and that of its shared experts. Latent attention gathers its low-rank tensors instead of X:
/// queries, keys and values both ways, positions forward, and their gradients are scattered. Throws
/// as require_known_tensor_traffic does.
Volumes tensor_parallel_layers(const Model& model, const Layout& layout, const Step& step, int pp,
                               TensorParallel implementation = TensorParallel::megatron);

/// The embedding on the first stage; the head on the last.
Volumes vocabulary_parallel(const Model& model, const Layout& layout, const Step& step, int pp);

/// The loss on the last stage: the largest logit, the predicted one, and the sum of exponentials.
/// `fused` sends the last two as one.
Volumes vocabulary_parallel_loss(const Model& model, const Layout& layout, const Step& step, int pp,
                                 bool fused = false);

/// Gradients of what all tensor-parallel ranks hold, once per step; of sequence parallelism only.
/// Throws as require_known_tensor_traffic does.
Volumes sequence_parallel_gradients(const Model& model, const Layout& layout, const Step& step,
                                    int pp);

// ---- context parallelism of the pipeline position `pp`

enum class ContextParallel : std::uint8_t {
  ring,                  // TransformerEngine p2p: gradients travel in the type of activations
  ring_float_gradients,  // ring-flash-attention: dK and dV in float, and one hop more
  all_gather,            // Llama 3, TransformerEngine all_gather
  all_to_all,            // Ulysses; key-value heads are repeated where there are fewer than ranks
  hierarchical,  // TransformerEngine a2a+p2p: Ulysses among cp_a2a ranks, between them the ring
};

/// Throws UserError with cp > 1 for what no framework does: latent attention but in
/// TransformerEngine's ring, and exchanges where heads do not divide (require_ulysses).
void require_known_context_traffic(const Model& model, const Layout& layout,
                                   ContextParallel scheme);

/// Keys and values of all layers, KV bytes each on a rank, and for all_to_all queries and outputs,
/// Q bytes each. Sent per layer, forward and backward:
///
///   ring                  (c-1) KV   2(c-1) KV
///   ring_float_gradients  (c-1) KV   (c-1) KV, and c dKV in float
///   all_gather            (c-1) KV   2(c-1) KV
///   all_to_all            (c-1)/c (2Q + KV) both ways, KV at least one head of each rank
///
/// hierarchical, of n = cp_a2a ranks that exchange heads and rings of c/n: the sums of all_to_all
/// with n for c and of the ring with c/n for c. Nothing where nobody exchanges heads (n = 1).
/// Recomputed layers go forward twice. TransformerEngine's all-to-all sends the output once more
/// backward, which this has not. Throws as require_known_context_traffic does.
Volumes context_parallel(const Model& model, const Layout& layout, const Step& step, int pp,
                         ContextParallel scheme);

// ---- pipeline

/// What the rank of pipeline position `pp` sends, forward and backward.
Volumes pipeline(const Model& model, const Layout& layout, const Step& step, int pp);

/// How long a rank of 1F1B, or of its interleaved form, waits: relative to the time of its own
/// work, (p - 1)/(V M), and as a share of the step, (p - 1)/(V M + p - 1). The papers use the
/// first.
double bubble_to_work(const Layout& layout, const Step& step);
double bubble_share(const Layout& layout, const Step& step);

// ---- experts of the pipeline position `pp`

/// Megatron's all-to-all dispatcher with uniform routing: token counts, tokens and their
/// probabilities out, tokens back, and the same mirrored backward; within experts that are divided,
/// tokens and probabilities are gathered and reduce-scattered.
Volumes expert_parallel(const Model& model, const Layout& layout, const Step& step, int pp);

/// Other ways to send the same.
struct ExpertDispatch {
  bool gathers = false;  // all tokens to all ranks, with all their probabilities (Megatron)
  std::optional<Count> capacity;  // that each expert takes of each rank, padded: without counts
  bool float8 = false;            // on the way to experts, gradients too; see float8_row_bytes
};
Volumes expert_parallel(const Model& model, const Layout& layout, const Step& step, int pp,
                        const ExpertDispatch& dispatch);

/// Loads of experts that a bias levels, once per step: a float for each expert of the position's
/// layers, added up over all ranks that share them or hold them too. Source: Megatron-LM,
/// core/transformer/moe/moe_utils.py, get_updated_expert_bias.
Volumes expert_loads(const Model& model, const Layout& layout, int pp);

}  // namespace collbench::model
