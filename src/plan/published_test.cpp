// SPDX-License-Identifier: Apache-2.0
// Operation lists and bytes that others have published.
#include <gtest/gtest.h>

#include <map>

#include "model/presets.h"
#include "plan/order.h"
#include "plan/totals.h"
#include "plan/training_step.h"

namespace collbench::plan {
namespace {

Count count_of(const RankClass& ranks, const std::string& label, Collective kind) {
  Count count = 0;
  for (const Op& op : ranks.ops) {
    for (const Message& message : op.messages) {
      count += op.label.find(label) != std::string::npos &&
               message.kind == MessageKind::collective && message.collective == kind;
    }
  }
  return count;
}

model::Model aicb_gpt_13b() {
  model::Model gpt;
  gpt.name = "gpt-13b";
  gpt.layers = 40;
  gpt.hidden = 5120;
  gpt.ffn = 20480;
  gpt.heads = gpt.kv_heads = 40;
  gpt.head_dim = 128;
  gpt.vocabulary = 50257;
  gpt.sequence = 2048;
  gpt.gated_mlp = false;
  gpt.tied_embeddings = true;
  return gpt;
}

// AICB (aliyun/aicb), GPT 13B, TP 8 with sequence parallelism, one sequence of 2048: its layers are
// 240 all-gathers and 160 reduce-scatters of 20,971,520 bytes, its loss three of 8192.
TEST(Published, AicbGpt13B) {
  model::Layout layout;
  layout.tp = 8;
  const Plan plan = training_step("x", aicb_gpt_13b(), layout, {.sequence = 2048}, {});
  EXPECT_EQ(count_of(plan.classes[0], "layer", Collective::all_gather), 240u);
  EXPECT_EQ(count_of(plan.classes[0], "layer", Collective::reduce_scatter), 160u);
  EXPECT_EQ(count_of(plan.classes[0], "head", Collective::all_reduce), 3u);
  for (const Op& op : plan.classes[0].ops) {
    for (const Message& message : op.messages) {
      const bool of_loss = op.label.find("logit") != std::string::npos;
      const bool of_activations = message.collective != Collective::all_reduce;
      const Bytes expected = of_activations ? 20971520 : 8192;
      if (of_loss || of_activations) {
        EXPECT_EQ(message_bytes(message, 8), expected) << op.label;
      }
    }
  }
}

// The same model's distributed optimizer on 128 ranks: one reduce-scatter of 6,422,958,080 bytes
// and one all-gather of half as many. AICB counts norms as divided by tp.
TEST(Published, AicbGpt13BsOptimizer) {
  model::Layout layout;
  layout.tp = 8;
  layout.dp = 16;
  Scheme scheme;
  scheme.parameters = ZeroOptions{.scheme = Zero::megatron, .overlap = false};
  const Plan plan = training_step("x", aicb_gpt_13b(), layout, {.sequence = 2048}, scheme);
  std::map<Collective, double> bytes;
  for (const Total& total : totals(plan, plan.classes[0])) {
    if (total.axis != model::Axis::dp_shard_cp) continue;
    EXPECT_EQ(total.messages, 1u);
    bytes[total.collective] = static_cast<double>(total.message_bytes);
  }
  EXPECT_NEAR(bytes.at(Collective::reduce_scatter) / 6422958080.0, 1, 3e-4);
  EXPECT_NEAR(bytes.at(Collective::all_gather) / 3211479040.0, 1, 3e-4);
}

// Its gradients of norms, which tensor-parallel ranks all hold: 1,638,400 bytes, two of 5120
// floats in each layer. AICB leaves out the last norm.
TEST(Published, AicbGpt13BsNorms) {
  model::Layout layout;
  layout.tp = 8;
  const Plan plan = training_step("x", aicb_gpt_13b(), layout, {.sequence = 2048}, {});
  std::vector<Bytes> norms;
  for (const Op& op : plan.classes[0].ops) {
    if (op.label != "reduce replicated gradients") continue;
    norms.push_back(message_bytes(op.messages.front(), 8));
  }
  EXPECT_EQ(norms, (std::vector<Bytes>{1638400 + 5120 * 4}));
}

// AICB's DeepSpeed 7B, ZeRO-2: seven all-reduces of 1.61 to 1.99 GB, by buckets of 1e9 elements,
// and parameters that are gathered in six parts of 2,246,138,624 bytes, here in one.
TEST(Published, AicbsReductionsOfZero2) {
  model::Layout layout;
  layout.dp = 128;
  Scheme scheme;
  scheme.parameters = ZeroOptions{.scheme = Zero::deepspeed2, .bucket_elements = 1000000000};
  const model::Step step{.sequence = 4096, .gradients = DataType::bfloat16};
  const Plan plan = training_step("x", model::preset("llama2-7b"), layout, step, scheme);
  int reductions = 0;
  double gathered = 0;
  for (const Op& op : plan.classes[0].ops) {
    for (const Message& message : op.messages) {
      const auto bytes = static_cast<double>(message_bytes(message, 128));
      if (message.collective == Collective::all_gather) gathered += bytes;
      if (message.collective != Collective::all_reduce) continue;
      ++reductions;
      EXPECT_GT(bytes, 1.60e9);
      EXPECT_LT(bytes, 2.00e9);
    }
  }
  EXPECT_EQ(reductions, 7);
  EXPECT_NEAR(gathered, 6 * 2246138624.0, 1e-6 * gathered);
}

// DeepEP's test in a node: of 4096 tokens of each of 8 ranks, each for 8 of 256 experts, 5.295
// ranks get one: 21.7 thousand rows, of 7392 bytes there and 14336 back.
TEST(Published, BytesOfDeepEp) {
  model::Model model = model::with_layers(model::preset("deepseek-v3"), 4);
  model::Layout layout;
  layout.dp = layout.ep = 8;
  Scheme scheme;
  scheme.experts.routing.spec = routing::parse_routing_spec("uniform,groups:1/1", "--routing");
  scheme.experts.dispatcher = Dispatcher::dedup;
  scheme.experts.type = DispatchType::fp8;
  const Plan plan = training_step("x", model, layout, {.sequence = 4096}, scheme);
  std::map<std::string, double> bytes;  // of a rank on average, its own included
  for (const Op& op : plan.classes[0].ops) {
    for (const Message& message : op.messages) {
      if (message.matrix == kNoMatrix) continue;
      const auto rows = static_cast<double>(routing::all_rows(plan.matrices[message.matrix]));
      bytes[op.label] = rows / 8 * static_cast<double>(message.count * size_of(message.type));
    }
  }
  const double rows = 21.7e3;
  EXPECT_NEAR(bytes.at("F0 layer 3 dispatch routed tokens") / 7392, rows, 0.005 * rows);
  EXPECT_NEAR(bytes.at("F0 layer 3 combine expert outputs") / 14336, rows, 0.005 * rows);
  EXPECT_NEAR(bytes.at("B0 layer 3 dispatch expert output gradients") / 7392, rows, 0.005 * rows);
  EXPECT_NEAR(bytes.at("B0 layer 3 combine routed token gradients") / 14336, rows, 0.005 * rows);
}

// AICB's DeepSpeed 7B, ZeRO-3: gathers of 33,554,432 bytes for attention's four matrices of a
// layer, of 90,177,536 for the feed-forward part's three. Its list has three of each; DeepSpeed
// gathers twice, and the layer at the turn from forward to backward may stay.
TEST(Published, AicbsGathersOfZero3) {
  model::Layout layout;
  layout.dp = 128;
  Scheme scheme;
  scheme.parameters =
      ZeroOptions{.scheme = Zero::deepspeed3, .prefetch = false, .reuse_elements = 0};
  const Plan plan =
      training_step("x", model::preset("llama2-7b"), layout, {.sequence = 4096}, scheme);
  std::map<Bytes, int> gathers;
  for (const Op& op : plan.classes[0].ops) {
    for (const Message& message : op.messages) {
      if (message.collective == Collective::all_gather) ++gathers[message_bytes(message, 128)];
    }
  }
  EXPECT_EQ(gathers.at(33554432), 2 * 32 * 4);
  EXPECT_EQ(gathers.at(90177536), 2 * 32 * 3);
}

// GB sent per rank and step, Llama 3 8B on 8 ranks.
TEST(Published, BytesOfLlama3_8B) {
  const auto sent_GB = [](const Scheme& scheme, DataType gradients) {
    model::Layout layout;
    layout.dp = 8;
    const model::Step step{.sequence = 8192, .gradients = gradients};
    const Plan plan = training_step("x", model::preset("llama3-8b"), layout, step, scheme);
    return static_cast<double>(sent_bytes(plan, plan.classes[0])) / 1e9;
  };
  const auto with = [](Zero zero) {
    Scheme scheme;
    scheme.parameters = ZeroOptions{.scheme = zero};
    return scheme;
  };
  EXPECT_NEAR(sent_GB({}, DataType::bfloat16), 28.1, 0.05);
  EXPECT_NEAR(sent_GB({}, DataType::float32), 56.2, 0.05);
  EXPECT_NEAR(sent_GB(with(Zero::megatron), DataType::float32), 42.2, 0.05);
  EXPECT_NEAR(sent_GB(with(Zero::deepspeed1), DataType::bfloat16), 42.2, 0.05);
}

// Over the whole pipeline M (V p - 1) activations; the first rank sends M V, the last M (V - 1).
TEST(Published, MessagesOfAnInterleavedPipeline) {
  const int p = 4, m = 8, v = 2;
  model::Layout layout;
  layout.pp = p;
  layout.vpp = v;
  model::Step step{.micro_batches = m, .sequence = 128};
  Scheme scheme;
  scheme.pipeline.schedule = Schedule::interleaved;
  const Plan plan = training_step("x", model::preset("tiny"), layout, step, scheme);
  std::vector<int> forward;
  for (const RankClass& ranks : plan.classes) {
    int sends = 0;
    for (const Op& op : ranks.ops) {
      for (const Message& message : op.messages) {
        const int next = (ranks.positions[0] + 1) % p;
        sends += message.kind == MessageKind::send && message.peer == next;
      }
    }
    forward.push_back(sends);
  }
  EXPECT_EQ(forward, (std::vector{m * v, m * v, m * v, m * (v - 1)}));
}

// FSDP2: an all-gather's buffer is free again when its block has been computed, so that two are in
// flight at most.
TEST(Published, Fsdp2GathersTwoBlocksAhead) {
  model::Layout layout;
  layout.dp = 4;
  Scheme scheme;
  scheme.parameters = ZeroOptions{};
  const Plan plan = training_step("x", model::preset("tiny"), layout, {.sequence = 128}, scheme);
  const std::vector<Op>& ops = plan.classes[0].ops;
  Order order;
  std::map<std::string, OpIndex> at;
  for (OpIndex o = 0; o < ops.size(); ++o) {
    order.append(ops[o]);
    at[ops[o].label] = o;
  }
  for (int layer = 0; layer + 2 < 8; ++layer) {
    const OpIndex used = at.at("F0 layer " + std::to_string(layer) + " mlp");
    const auto gather_of = [&](int which) {
      return at.at("gather layer " + std::to_string(which) + " forward");
    };
    EXPECT_TRUE(order.is_before(used, gather_of(layer + 2)));
    EXPECT_FALSE(order.is_before(used, gather_of(layer + 1)));
  }
}

// DeepSpeed 3 keeps what the backward pass soon uses again, and small tensors whole.
TEST(Published, DeepSpeed3SendsLessForSmallModels) {
  const auto gathered = [](Count reuse, Count persistent) {
    model::Layout layout;
    layout.dp = 4;
    Scheme scheme;
    scheme.parameters = ZeroOptions{
        .scheme = Zero::deepspeed3, .reuse_elements = reuse, .persistent_elements = persistent};
    const Plan plan = training_step("x", model::preset("tiny"), layout, {.sequence = 128}, scheme);
    for (const Total& total : totals(plan, plan.classes[0])) {
      if (total.collective == Collective::all_gather) return total.message_bytes;
    }
    return Bytes{0};
  };
  const Bytes all = 2 * model::parameters(model::preset("tiny"));
  EXPECT_EQ(gathered(0, 0), 2 * all);
  EXPECT_EQ(gathered(1000000000, 0), all);  // one forward gather serves both passes
  EXPECT_EQ(gathered(1000000000, 100000), all);
  EXPECT_EQ(gathered(0, 1000000000), all);  // once, after the optimizer
}

}  // namespace
}  // namespace collbench::plan
