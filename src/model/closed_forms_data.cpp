// SPDX-License-Identifier: Apache-2.0
// Closed forms of data parallelism: gradients and parameters.
#include "model/closed_forms.h"
#include "model/parameters.h"

namespace collbench::model {
namespace {

constexpr Bytes kHalf = 2;  // of a parameter in DeepSpeed's fp16 and bf16, gradients too

/// Who reduces and who shards one kind of parameters.
struct Holders {
  Count parameters;
  Axis all, shards, replicas;
};

/// Dense parameters, then experts where others hold them.
std::vector<Holders> holders(const Layout& layout, ParameterCount held) {
  if (!experts_apart(layout)) held = {held.total(), 0};
  std::vector<Holders> all = {{held.dense, Axis::dp_cp, Axis::dp_shard_cp, Axis::dp_replicate}};
  if (held.expert > 0) {
    all.push_back({held.expert, Axis::edp, Axis::edp_shard, Axis::edp_replicate});
  }
  return all;
}

Count number_of(int value) { return static_cast<Count>(value); }

/// Ranks that are alone send nothing.
void add(Volumes& volumes, const Layout& layout, Collective collective, Axis axis, Bytes bytes,
         Count operations = 0) {
  if (size_of(layout, axis) == 1 || bytes == 0) return;
  volumes.push_back({collective, axis, operations, bytes});
}

/// Gradients summed by `reduction`, so many times, and parameters gathered once.
Volumes deepspeed(const Model& model, const Layout& layout, int pp, Collective reduction,
                  Count reductions) {
  Volumes volumes;
  for (const Holders& of : holders(layout, rank_parameters(model, layout, pp))) {
    const Bytes bytes = of.parameters * kHalf;
    add(volumes, layout, reduction, of.all, reductions * bytes);
    add(volumes, layout, Collective::all_gather, of.all, bytes);
  }
  return volumes;
}

/// What FSDP2 gathers as one: layers one by one, and the rest of the model as the root.
struct Gathered {
  ParameterCount layers, root;
  Count layer_groups = 0, expert_groups = 0;
};

Gathered gathered(const Model& model, const Layout& layout, int pp) {
  Gathered sum;
  for (int chunk = 0; chunk < layout.vpp; ++chunk) {
    for (const Block& block : stage_blocks(model, layout, stage_of(layout, pp, chunk))) {
      const bool root = block.kind == Block::Kind::embedding || block.kind == Block::Kind::head;
      const ParameterCount held = count({block});
      ParameterCount& into = root ? sum.root : sum.layers;
      into.dense += held.dense;
      into.expert += held.expert;
      if (!root) ++sum.layer_groups;
      if (held.expert > 0) ++sum.expert_groups;
    }
  }
  return sum;
}

/// One kind of parameters in FSDP2: `layers` are gathered `times`, the root once per micro-batch.
void add_fsdp2(Volumes& volumes, const Layout& layout, const Step& step, const Holders& of,
               Count root, Count groups, Count times) {
  const Count micro_batches = number_of(step.micro_batches), root_groups = root > 0 ? 1 : 0;
  const Count layers = of.parameters - root;
  add(volumes, layout, Collective::all_gather, of.shards,
      micro_batches * (times * layers + root) * size_of(step.parameters),
      micro_batches * (times * groups + root_groups));
  const Count reductions = micro_batches * (groups + root_groups);
  const Bytes reduced = micro_batches * of.parameters * size_of(step.gradients);
  add(volumes, layout, Collective::reduce_scatter, of.shards, reduced, reductions);
  add(volumes, layout, Collective::all_reduce, of.replicas,
      reduced / number_of(size_of(layout, of.shards)), reductions);
}

}  // namespace

Volumes ddp(const Model& model, const Layout& layout, const Step& step, int pp) {
  Volumes volumes;
  for (const Holders& of : holders(layout, rank_parameters(model, layout, pp))) {
    add(volumes, layout, Collective::all_reduce, of.all, of.parameters * size_of(step.gradients));
  }
  return volumes;
}

Volumes megatron_distributed_optimizer(const Model& model, const Layout& layout, const Step& step,
                                       int pp) {
  Volumes volumes;
  for (const Holders& of : holders(layout, rank_parameters(model, layout, pp))) {
    const Bytes gradients = of.parameters * size_of(step.gradients);
    add(volumes, layout, Collective::reduce_scatter, of.shards, gradients);
    add(volumes, layout, Collective::all_reduce, of.replicas,
        gradients / number_of(size_of(layout, of.shards)));
    add(volumes, layout, Collective::all_gather, of.shards,
        of.parameters * size_of(step.parameters));
  }
  return volumes;
}

Volumes deepspeed_zero1(const Model& model, const Layout& layout, const Step&, int pp) {
  return deepspeed(model, layout, pp, Collective::all_reduce, 1);
}

Volumes deepspeed_zero2(const Model& model, const Layout& layout, const Step& step, int pp) {
  return deepspeed(model, layout, pp, Collective::all_reduce, number_of(step.micro_batches));
}

Volumes deepspeed_zero1_to_owners(const Model& model, const Layout& layout, const Step&, int pp) {
  return deepspeed(model, layout, pp, Collective::reduce, 1);
}

Volumes deepspeed_zero2_to_owners(const Model& model, const Layout& layout, const Step& step,
                                  int pp) {
  return deepspeed(model, layout, pp, Collective::reduce, number_of(step.micro_batches));
}

Volumes deepspeed_zero3(const Model& model, const Layout& layout, const Step& step, int pp) {
  Volumes volumes;
  for (const Holders& of : holders(layout, rank_parameters(model, layout, pp))) {
    const Bytes bytes = number_of(step.micro_batches) * of.parameters * kHalf;
    add(volumes, layout, Collective::all_gather, of.all, 2 * bytes);
    add(volumes, layout, Collective::reduce_scatter, of.all, bytes);
  }
  return volumes;
}

Volumes fsdp2(const Model& model, const Layout& layout, const Step& step, int pp, bool reshard) {
  const Gathered what = gathered(model, layout, pp);
  const Count times = reshard ? 2 : 1;
  const ParameterCount held = {what.layers.dense + what.root.dense,
                               what.layers.expert + what.root.expert};
  const std::vector<Holders> of = holders(layout, held);
  Volumes volumes;
  add_fsdp2(volumes, layout, step, of[0], what.root.dense, what.layer_groups, times);
  if (of.size() > 1) add_fsdp2(volumes, layout, step, of[1], 0, what.expert_groups, times);
  return volumes;
}

Volumes fsdp2_in_groups(const Model& model, const Layout& layout, const Step& step, int pp) {
  if (layout.replicas == 1) return {};
  const Gathered what = gathered(model, layout, pp);
  const Count micro_batches = number_of(step.micro_batches);
  const std::vector<Holders> all = holders(layout, rank_parameters(model, layout, pp));
  Volumes volumes;
  for (const Holders& of : all) {
    const bool experts = of.all == Axis::edp;
    const Count root = experts ? 0 : what.root.dense, layers = of.parameters - root;
    const Count groups = experts ? what.expert_groups : what.layer_groups;
    const Count all_groups = groups + (root > 0 ? 1 : 0);
    add(volumes, layout, Collective::all_gather, of.all,
        micro_batches * of.parameters * size_of(step.parameters), micro_batches * all_groups);
    add(volumes, layout, Collective::all_gather, of.shards,
        micro_batches * layers * size_of(step.parameters), micro_batches * groups);
    add(volumes, layout, Collective::reduce_scatter, of.all,
        micro_batches * of.parameters * size_of(step.gradients), micro_batches * all_groups);
  }
  return volumes;
}

Volumes zeropp(const Model& model, const Layout& layout, const Step& step, int pp) {
  Volumes volumes;
  for (const Holders& of : holders(layout, rank_parameters(model, layout, pp))) {
    const Count elements = number_of(step.micro_batches) * of.parameters;
    const Count shards = number_of(size_of(layout, of.shards));
    add(volumes, layout, Collective::all_gather, of.all, elements);
    add(volumes, layout, Collective::all_gather, of.shards, elements * kHalf);
    add(volumes, layout, Collective::alltoall, of.shards, elements / 2);
    add(volumes, layout, Collective::alltoall, of.replicas, elements / 2 / shards);
  }
  return volumes;
}

Volumes tied_embedding(const Model& model, const Layout& layout, const Step& step, int pp) {
  Volumes volumes;
  if (!model.tied_embeddings || (pp != 0 && pp != layout.pp - 1)) return volumes;
  const Count rows = padded_vocabulary(model, layout) / number_of(layout.tp);
  add(volumes, layout, Collective::all_reduce, Axis::embedding,
      rows * model.hidden * size_of(step.gradients), 1);
  return volumes;
}

}  // namespace collbench::model
