# SPDX-License-Identifier: Apache-2.0
# The steps that are really run: every scheme and variant.


def with_each(program, ranks, flags, variants):
    return [(program, count, (*flags, *variant)) for count in ranks for variant in variants]


# (program, ranks, flags): each scheme and variant with each number of ranks that it can have.
STEPS = [
    *(step for buckets in ("ddp", "megatron", "single")
      for step in with_each("data_parallel_perf", (2, 3, 4), ("--buckets", buckets), ((), ("--no-overlap",)))),
    *(step for zero, variants in (
        ("deepspeed1", ((), ("--reduce-to-owners",))),
        ("deepspeed2", ((), ("--reduce-to-owners",))),
        ("deepspeed3", ((), ("--no-prefetch",), ("--persistent-elements", 0))),
        ("megatron", ((), ("--gather-at-end",), ("--no-overlap",))),
        ("fsdp2", ((), ("--no-prefetch",), ("--no-reshard",), ("--no-overlap",))),
        ("zeropp", ((),)))
      for step in with_each("zero_perf", (2, 3, 4), ("--zero", zero), variants)),
    *with_each("zero_perf", (4,), ("--replicas", 2),
               (("--zero", "fsdp2"), ("--zero", "fsdp2", "--reshard-in-groups"), ("--zero", "megatron"),
                ("--zero", "zeropp"))),
    *(step for ranks, tp in ((2, 2), (4, 2), (4, 4))
      for step in with_each("tensor_parallel_perf", (ranks,), ("--tp", tp),
                            ((), ("--tensor", "dtensor"), ("--no-sequence-parallel",), ("--fused-loss",),
                             ("--recompute", "full")))),
    *with_each("pipeline_parallel_perf", (2, 4), ("--pp", 2, "--micro-batches", 4),
               (("--schedule", "gpipe"), ("--schedule", "1f1b"), ("--schedule", "1f1b", "--messages", "pairs"),
                ("--schedule", "interleaved", "--layers", 4, "--vpp", 2), ("--schedule", "zb-h1"))),
    *with_each("context_parallel_perf", (2,), ("--cp", 2),
               (("--cp-comm-type", "p2p"), ("--cp-comm-type", "ring-flash"), ("--cp-comm-type", "all_gather"),
                ("--cp-comm-type", "a2a"))),
    ("context_parallel_perf", 4, ("--cp", 4, "--recompute", "full")),
    ("context_parallel_perf", 4, ("--cp", 4, "--cp-comm-type", "ring-flash", "--cp-split", "contiguous")),
    ("context_parallel_perf", 4, ("--cp", 4, "--cp-comm-type", "a2a+p2p", "--cp-a2a", 2)),
    *with_each("expert_parallel_perf", (2, 4), ("--model", "tiny-moe", "--ep", 2), ((), ("--recompute", "full"))),
    ("expert_parallel_perf", 4, ("--model", "tiny-moe", "--ep", 2, "--tp", 2)),
    ("expert_parallel_perf", 4, ("--model", "tiny-moe", "--ep", 4, "--routing", "zipf:1.2,seed:7")),
    ("expert_parallel_perf", 2, ("--model", "tiny-moe", "--ep", 2, "--routing", "hot:1", "--micro-batches", 2)),
    ("expert_parallel_perf", 4, ("--model", "tiny-moe", "--ep", 2, "--tp", 2, "--dispatcher", "allgather")),
    ("expert_parallel_perf", 4, ("--model", "tiny-moe", "--ep", 4, "--dispatcher", "dedup-node",
                                 "--ranks-per-node", 2, "--dispatch-type", "fp8")),
    ("expert_parallel_perf", 4, ("--model", "tiny-moe", "--ep", 4, "--tp", 2, "--etp", 1)),
    ("expert_parallel_perf", 2, ("--model", "tiny-mla", "--ep", 2, "--shared-expert-overlap")),
    ("expert_parallel_perf", 4, ("--model", "tiny-mla", "--ep", 4, "--tp", 2, "--etp", 1, "--shared-expert-overlap",
                                 "--routing", "zipf:1")),
    ("zero_perf", 4, ("--cp", 2, "--pp", 2, "--micro-batches", 2, "--no-reshard")),
    ("pipeline_parallel_perf", 4, ("--pp", 4, "--micro-batches", 4, "--layers", 4)),
    ("zero_perf", 4, ("--tp", 2)),
    ("zero_perf", 4, ("--pp", 2, "--micro-batches", 2, "--no-reshard")),
    ("tensor_parallel_perf", 4, ("--tp", 2, "--pp", 2, "--micro-batches", 2)),
    ("hybrid_parallel_perf", 4, ("--tp", 2)),
    ("hybrid_parallel_perf", 4, ("--cp", 2, "--pp", 2, "--micro-batches", 2)),
]
