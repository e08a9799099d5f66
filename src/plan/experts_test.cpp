// SPDX-License-Identifier: Apache-2.0
#include "plan/experts.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/errors.h"
#include "model/presets.h"
#include "plan/distinct_exchanges.h"
#include "plan/exact_schemes.h"

namespace collbench::plan {
namespace {

model::Model one_layer_of_experts() {
  model::Model model = small_model();
  model.layers = 1;
  model.experts = {.routed = 16, .per_token = 4, .ffn = 512};
  return model;
}

/// Operations that have `label` in theirs, of the first rank.
std::vector<std::string> labels_with(const Plan& plan, const std::vector<std::string>& parts) {
  std::vector<std::string> found;
  for (const Op& op : plan.classes.front().ops) {
    for (const std::string& part : parts) {
      if (op.label.find(part) == std::string::npos) continue;
      found.push_back(op.label);
      break;
    }
  }
  return found;
}

// The host needs the counts for the sizes of what follows.
TEST(Experts, TokensGoOutAndComeBackInMegatronsOrder) {
  model::Layout layout = layout_of(2, 1, 4, 1);
  layout.ep = 4;
  layout.etp = 2;
  const Plan plan = training_step("x", one_layer_of_experts(), layout, step_of(1), {});
  EXPECT_EQ(labels_with(plan, {"token", "prob", "expert"}),
            (std::vector<std::string>{"F0 layer 0 experts own tokens",
                                      "F0 layer 0 gather token counts",
                                      "F0 layer 0 token counts",
                                      "F0 layer 0 dispatch routed tokens",
                                      "F0 layer 0 dispatch probabilities",
                                      "F0 layer 0 gather routed tokens",
                                      "F0 layer 0 gather probabilities",
                                      "F0 layer 0 experts",
                                      "F0 layer 0 reduce expert outputs",
                                      "F0 layer 0 combine expert outputs",
                                      "F0 layer 0 experts combine",
                                      "B0 layer 0 experts distribute",
                                      "B0 layer 0 dispatch expert output gradients",
                                      "B0 layer 0 gather expert output gradients",
                                      "B0 layer 0 experts row inputs",
                                      "B0 layer 0 experts row weights",
                                      "B0 layer 0 experts column inputs",
                                      "B0 layer 0 reduce routed token gradients",
                                      "B0 layer 0 reduce probability gradients",
                                      "B0 layer 0 combine routed token gradients",
                                      "B0 layer 0 combine probability gradients",
                                      "B0 layer 0 experts column weights",
                                      "B0 layer 0 experts own inputs",
                                      "B0 layer 0 experts own weights"}));
  const std::vector<Op>& ops = plan.classes.front().ops;
  for (std::size_t o = 0; o < ops.size(); ++o) {
    if (ops[o].label != "F0 layer 0 token counts") continue;
    EXPECT_EQ(ops[o].kind, OpKind::wait);
    EXPECT_EQ(ops[o].after, (std::vector{static_cast<OpIndex>(o - 1)}));
  }
}

// Published: 411 MB on 8 ranks, 462 MB on 64, in each of the four messages of a layer.
TEST(Experts, DispatchOfDeepSeek) {
  model::Model model = model::with_layers(model::preset("deepseek-v3"), 4);
  model.prediction_layers = 0;
  for (const auto& [ep, megabytes] : {std::pair{8, 411.0}, {64, 462.4}}) {
    model::Layout layout = layout_of(1, 1, ep, 1);
    layout.ep = ep;
    model::Step step;
    step.sequence = 4096;
    const Plan plan = training_step("x", model, layout, step, {});
    int large = 0;
    for (const Op& op : plan.classes.front().ops) {
      for (const Message& message : op.messages) {
        const bool carries_tokens =
            message.axis == model::Axis::ep && message.type == DataType::bfloat16;
        if (!carries_tokens) continue;
        ++large;
        const double sent = static_cast<double>(message_bytes(message, ep)) * (ep - 1) / ep;
        EXPECT_NEAR(sent / 1e6, megabytes, 0.5);
      }
    }
    EXPECT_EQ(large, 4) << "one of four layers has experts";
  }
}

/// Ranks 0 and 1 of ep 2 with eight tokens for each other's experts and their own.
Plan uneven(const std::string& routing, int micro_batches = 1) {
  model::Layout layout = layout_of(1, 1, 4, 1);
  layout.ep = 2;
  Scheme scheme;
  scheme.experts.routing.spec = routing::parse_routing_spec(routing, "--routing");
  return training_step("x", one_layer_of_experts(), layout, step_of(micro_batches), scheme);
}

// What one sends is what the other receives, and every row that goes out comes back.
TEST(Experts, UnevenRowsGoByAMatrixAndComeBackByItsTranspose) {
  const Plan plan = uneven("zipf:1.2,seed:7");
  EXPECT_EQ(check(plan), std::vector<std::string>{});
  ASSERT_EQ(plan.classes.size(), 2u);
  ASSERT_EQ(plan.matrices.size(), 2u);
  const traffic::Matrix &out = plan.matrices[0], &back = plan.matrices[1];
  const Count rows = 512 * 2 * 4;  // tokens of a rank, each for four experts
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(out.sent_by(rank), rows);
    EXPECT_EQ(back.received_by(rank), rows);
    EXPECT_EQ(out.at(rank, 1 - rank), back.at(1 - rank, rank));
  }
  EXPECT_NE(out.received_by(0), out.received_by(1));
  for (std::size_t c = 0; c < 2; ++c) {
    const RankClass& ranks = plan.classes[c];
    Count products = 0, moved = 0;
    for (const Op& op : ranks.ops) {
      for (const Gemm& gemm : op.gemms) {
        if (op.label == "F0 layer 0 experts") products += gemm.m * gemm.times;
      }
      for (const Message& message : op.messages) moved += message.matrix == kNoMatrix ? 0 : 1;
    }
    EXPECT_EQ(products, 3 * out.received_by(static_cast<int>(c)));  // three matrices
    EXPECT_EQ(moved, 6u);
    // Tokens, outputs and their gradients, and probabilities both ways.
    const int own = static_cast<int>(c), other = 1 - own;
    const Count sent = 2 * (out.at(own, other) + out.at(other, own)) * 1024 * 2 +
                       (out.at(own, other) + out.at(other, own)) * 4;
    EXPECT_EQ(sent_bytes(plan, ranks, model::Axis::ep), sent);
  }
}

TEST(Experts, VariantsOfUnevenRoutingAreSound) {
  const Plan plan = uneven("hot:1,seed:3", 2);
  EXPECT_EQ(faults_of_variants(plan), "");
  const Plan even = evened(plan);
  EXPECT_EQ(check(even), std::vector<std::string>{});
  const Count mean = 512 * 2 * 4 / 2 * 1024 * 2;
  for (const Op& op : even.classes.front().ops) {
    for (const Message& message : op.messages) {
      const bool tokens = message.axis == model::Axis::ep && message.type == DataType::bfloat16;
      if (tokens) {
        EXPECT_EQ(message.count * size_of(message.type), mean);
      }
      EXPECT_EQ(message.matrix, kNoMatrix);
    }
  }
}

// So that a model of many layers has few to measure.
TEST(Experts, ExchangesByMatricesAreAlike) {
  const Plan plan = uneven("zipf:1", 3);
  std::size_t by_matrix = 0;
  for (const DistinctExchange& exchange : distinct_exchanges(plan, match(plan))) {
    if (exchange.message.matrix == kNoMatrix) continue;
    ++by_matrix;
    EXPECT_EQ(exchange.per_step.front(), exchange.message.type == DataType::float32 ? 6u : 12u);
  }
  EXPECT_EQ(by_matrix, 2u);
}

// Padded messages are as large for every rank, and nobody needs to be told.
TEST(Experts, CapacityMakesMessagesEven) {
  const Plan plan = uneven("zipf:1.2,capacity:1.25");
  EXPECT_EQ(plan.matrices.size(), 0u);
  EXPECT_EQ(labels_with(plan, {"counts"}), std::vector<std::string>{});
  const Count capacity = 512 * 2 * 4 / 16 * 5 / 4;
  for (const Op& op : plan.classes.front().ops) {
    if (op.label == "F0 layer 0 experts") {
      EXPECT_EQ(op.gemms.front().m, 2 * capacity);
      EXPECT_EQ(op.gemms.front().times, 8u);
    }
    if (op.label != "F0 layer 0 dispatch routed tokens") continue;
    EXPECT_EQ(message_bytes(plan, op.messages.front()), 16 * capacity * 1024 * 2);
  }
}

TEST(Experts, WhatDoesNotDivideEvenlyHasAMatrix) {
  model::Layout layout = layout_of(1, 1, 16, 1);
  layout.ep = 16;
  model::Step step = step_of(1);
  step.sequence = 6;
  step.micro_batch = 1;
  const Plan plan = training_step("x", one_layer_of_experts(), layout, step, {});
  EXPECT_EQ(check(plan), std::vector<std::string>{});
  EXPECT_EQ(plan.classes.size(), 16u);
  EXPECT_EQ(plan.matrices.front().sent_by(0), 24u);
}

/// Rows that leave their rank, of all ranks.
Count moved(const traffic::Matrix& matrix) { return routing::moved_rows(matrix); }

// DeepEP: once to a rank; or once to a node, and from there to its ranks.
TEST(Experts, DispatchersThatDoNotRepeatTokens) {
  model::Layout layout = layout_of(1, 1, 8, 1);
  layout.ep = 8;
  Scheme scheme;
  scheme.experts.routing.spec = routing::parse_routing_spec("uniform", "--routing");
  scheme.experts.ranks_per_node = 4;
  std::map<Dispatcher, Plan> plans;
  for (const DispatcherRow& row : kDispatchers) {
    scheme.experts.dispatcher = row.dispatcher;
    plans[row.dispatcher] = training_step("x", one_layer_of_experts(), layout, step_of(1), scheme);
    EXPECT_EQ(check(plans[row.dispatcher]), std::vector<std::string>{}) << row.name;
  }
  const Count copies = moved(plans[Dispatcher::alltoall].matrices[0]);
  const Count once = moved(plans[Dispatcher::dedup].matrices[0]);
  const auto& two = plans[Dispatcher::dedup_node].matrices;  // to nodes, back, to ranks, back
  EXPECT_LT(once, copies);
  ASSERT_EQ(two.size(), 4u);
  EXPECT_LT(moved(two[0]), once);
  for (int from = 0; from < 8; ++from) {
    for (int to = 0; to < 8; ++to) {
      if (from % 4 != to % 4) {
        EXPECT_EQ(two[0].at(from, to), 0u);
      }
      if (from / 4 != to / 4) {
        EXPECT_EQ(two[2].at(from, to), 0u);
      }
    }
  }
  EXPECT_EQ(plans[Dispatcher::allgather].matrices.size(), 0u);
  // Experts work on as many rows, however these came.
  for (std::size_t c = 0; c < 8; ++c) {
    std::set<Count> products;
    for (const auto& [dispatcher, plan] : plans) products.insert(flops(plan.classes[c]));
    EXPECT_EQ(products.size(), 1u);
  }
}

// 8 bits on the way to experts and for gradients of their outputs; back as they are.
TEST(Experts, DispatchInEightBits) {
  model::Model model = model::with_layers(model::preset("deepseek-v3"), 4);
  model.prediction_layers = 0;
  model::Layout layout = layout_of(1, 1, 8, 1);
  layout.ep = 8;
  model::Step step;
  step.sequence = 4096;
  Scheme scheme;
  scheme.experts.type = DispatchType::fp8;
  const Plan plan = training_step("x", model, layout, step, scheme);
  std::map<DataType, Bytes> bytes;
  for (const Op& op : plan.classes.front().ops) {
    for (const Message& message : op.messages) {
      if (message.axis == model::Axis::ep) bytes[message.type] += message_bytes(plan, message);
    }
  }
  EXPECT_EQ(bytes[DataType::uint8], Bytes{2 * 4096 * 8} * 7392);
  EXPECT_EQ(bytes[DataType::bfloat16], Bytes{2 * 4096 * 8} * 14336);
}

std::string complaint(const model::Layout& layout, const Scheme& scheme) {
  try {
    training_step("x", one_layer_of_experts(), layout, step_of(1), scheme);
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(Experts, RefuseUnevenRoutingWhereRanksShareExpertsOrARing) {
  Scheme scheme;
  scheme.experts.routing.spec = routing::parse_routing_spec("uniform", "--routing");
  model::Layout layout = layout_of(2, 1, 2, 1);
  layout.ep = 2;
  EXPECT_EQ(complaint(layout, scheme),
            "routing uniform by dispatcher alltoall gives ranks that divide experts (etp 2) "
            "different numbers of tokens, which is not known here; set --etp 1, or choose "
            "--dispatcher allgather");
  Scheme padded;
  padded.experts.routing.spec = routing::parse_routing_spec("uniform,capacity:1", "--routing");
  padded.experts.dispatcher = Dispatcher::dedup;
  EXPECT_EQ(complaint(layout, padded),
            "uniform,capacity:1 pads rows for experts, and dispatcher dedup sends rows to ranks; "
            "leave out the capacity, or choose --dispatcher alltoall");
  layout = layout_of(1, 2, 2, 1);
  layout.ep = 2;
  scheme.context.split = ContextSplit::contiguous;
  EXPECT_EQ(complaint(layout, scheme),
            "routing uniform gives every rank of ep other work, and a ring of context parallelism "
            "every rank of cp: a plan has one or the other; choose another --cp-comm-type, or "
            "balanced routing");
}

}  // namespace
}  // namespace collbench::plan
