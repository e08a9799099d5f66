// SPDX-License-Identifier: Apache-2.0
// From samples to records, by a plan whose numbers are known by hand.
#include "app/measured_step.h"

#include <gtest/gtest.h>

#include "plan/example_plans.h"
#include "plan/predict.h"

namespace collbench {
namespace {

// Two stages of two ranks; 1000 floats are sent each way, and reduced between the two of a stage.
class MeasuredStep : public ::testing::Test {
 protected:
  MeasuredStep() { options_.replay.compute = replay::Compute::none; }

  StepContext context() const { return {options_, "mpi", {0, 0, 1, 1}, 1, {}}; }

  // With each message timed alone.
  StepRecord with_messages(double send_s, double reduce_s) const {
    StepRecord record = blank_step(context(), plan_);
    std::vector<MessageTime> times;
    for (plan::DistinctExchange& each : plan::distinct_exchanges(plan_, plan::match(plan_))) {
      const bool sends = each.message.kind == plan::MessageKind::send;
      times.push_back({std::move(each), sends ? send_s : reduce_s});
    }
    add_messages(record, plan_, times);
    return record;
  }

  PatternOptions options_;
  plan::Plan plan_ = plan::two_stages();
};

TEST_F(MeasuredStep, SaysWhatItIsBeforeAnythingIsMeasured) {
  plan_.step.micro_batches = 3;
  plan_.step.micro_batch = 2;
  plan_.step.sequence = 10;
  const StepRecord record = blank_step(context(), plan_);
  EXPECT_EQ(record.key.ranks, 4);
  EXPECT_EQ(record.key.nodes, 2);
  EXPECT_EQ(record.key.compute, "none");
  EXPECT_EQ(record.key.busy_flops, std::nullopt);
  EXPECT_EQ(record.tokens, 3u * 2 * 10 * 2);   // of two pipelines
  EXPECT_EQ(record.sent_bytes, 4000u + 4000);  // a message, and 2 (n-1)/n of what is reduced
  EXPECT_EQ(record.slot_bytes, 3u * 4000);
}

TEST_F(MeasuredStep, ADeviceThatIsOnlyBusyHasItsRateInTheKey) {
  options_.replay.compute = replay::Compute::busy;
  options_.costs.compute.flops = 3e12;
  EXPECT_EQ(blank_step(context(), plan_).key.busy_flops, 3e12);
}

TEST_F(MeasuredStep, TheSeriesIsOfTheSlowestRank) {
  LayoutSamples samples;
  samples.step.by_sample_s = {{1, 4, 1, 1}, {1, 2, 1, 1}, {1, 3, 1, 1}};
  samples.step.values_s = {4, 2, 3};
  StepRecord record = blank_step(context(), plan_);
  add_samples(record, samples);
  EXPECT_EQ(record.step->median_s, 3);
  EXPECT_EQ(record.rank_median_s, (std::vector<double>{1, 3, 1, 1}));
  EXPECT_EQ(record.computing, std::nullopt);
}

TEST_F(MeasuredStep, MessagesHaveTheBusBandwidthOfTheirOperation) {
  plan_.layout.dp = 2;
  const StepRecord record = with_messages(2e-6, 8e-6);
  ASSERT_EQ(record.messages.size(), 2u);
  const StepMessage& sent = record.messages[0];
  EXPECT_EQ(sent.operation, "send");
  EXPECT_EQ(sent.message_bytes, 4000u);
  EXPECT_EQ(sent.per_step, 2u);
  EXPECT_EQ(sent.op, std::nullopt);
  EXPECT_NEAR(*sent.bus_bandwidth_Bps, 2e9, 1);
  const StepMessage& reduced = record.messages[1];
  EXPECT_EQ(reduced.op, ReduceOp::sum);
  EXPECT_EQ(reduced.group_size, 2);
  EXPECT_NEAR(*reduced.algorithm_bandwidth_Bps, 0.5e9, 1);
  EXPECT_NEAR(*reduced.bus_bandwidth_Bps, 0.5e9, 1);  // 2 (n-1)/n = 1
}

// Forward: compute, send, compute; backward: compute, send, compute; then a reduction.
TEST_F(MeasuredStep, IsPredictedByItsMessagesAlone) {
  StepRecord record = with_messages(2e-3, 8e-3);
  add_prediction(record, context(), plan_);
  ASSERT_TRUE(record.prediction);
  EXPECT_EQ(record.prediction->links, LinksFrom::messages);
  EXPECT_EQ(record.prediction->compute_s, 0);
  EXPECT_NEAR(record.prediction->step_s, 2 * 2e-3 + 8e-3, 1e-9);
  EXPECT_NEAR(record.prediction->bubble_s, 12e-3 / 1000, 1e-9);  // one element is a thousandth
  EXPECT_NEAR(record.prediction->exposed_s, 12e-3 - 12e-6, 1e-9);
}

TEST_F(MeasuredStep, LinksThatAreGivenComeFirst) {
  options_.links_are_given = true;
  options_.costs.links.node = options_.costs.links.network = {1e-3, 1e15};
  StepRecord record = with_messages(2e-3, 8e-3);
  add_prediction(record, context(), plan_);
  EXPECT_EQ(record.prediction->links, LinksFrom::flags);
  EXPECT_NEAR(record.prediction->step_s, 2 * 1e-3 + 2 * 1e-3,
              1e-6);  // a ring of two has two rounds
}

TEST_F(MeasuredStep, LinksOfAFileSufficeWhereTheyAreOfAllMessages) {
  StepRecord record = blank_step(context(), plan_);  // of a step whose messages nobody timed
  auto& measured = options_.costs.links.measured;
  for (const int nodes : {1, 2}) measured.push_back({Collective::sendrecv, 2, nodes, 0, 0, 4e6});
  add_prediction(record, context(), plan_);
  EXPECT_EQ(record.prediction, std::nullopt);
  for (const int nodes : {1, 2}) measured.push_back({Collective::all_reduce, 2, nodes, 0, 0, 4e6});
  add_prediction(record, context(), plan_);
  ASSERT_TRUE(record.prediction);
  EXPECT_EQ(record.prediction->links, LinksFrom::flags);
  EXPECT_NEAR(record.prediction->step_s, 3e-3, 1e-9);
}

TEST_F(MeasuredStep, NothingIsPredictedFromGuesses) {
  StepRecord record = blank_step(context(), plan_);
  add_prediction(record, context(), plan_);
  EXPECT_EQ(record.prediction, std::nullopt);
  options_.replay.compute = replay::Compute::gemm;  // whose rate nobody knows
  record = with_messages(2e-3, 8e-3);
  add_prediction(record, context(), plan_);
  EXPECT_EQ(record.prediction, std::nullopt);
  record.computing = StepSeries{.samples_s = {1e-3}, .median_s = 1e-3};
  add_prediction(record, context(), plan_);
  EXPECT_NEAR(record.prediction->compute_s, 1e-3, 1e-12);
}

}  // namespace
}  // namespace collbench
