// SPDX-License-Identifier: Apache-2.0
// The executor on the host backend: what builders of schemes do not make (copies, waits of the
// host, memory of the host), and that an order which is missing is found.
#include "replay/executor.h"

#include <gtest/gtest.h>

#include <optional>

#include "base/clock.h"
#include "comm/mpi/host_test_rank.h"
#include "plan/builder.h"
#include "plan/checker.h"
#include "replay/step_check.h"
#include "replay/step_sampler.h"

namespace collbench::replay {
namespace {

constexpr Count kCount = 5000;
constexpr Bytes kBytes = kCount * 4;

// Gradients that are copied to the host, reduced from there, and copied back.
plan::Plan offloaded(int ranks) {
  model::Layout layout;
  layout.dp = ranks;
  plan::Plan plan = plan::make_plan("offload", layout, {}, {model::Axis::pp});
  plan::Builder b(plan, plan.classes.front());
  const auto made = b.slot("made", kBytes), back = b.slot("back", kBytes);
  const auto host = b.slot("host", kBytes, plan::Memory::host);
  for (int round = 0; round < 3; ++round) {
    b.compute("backward", {{64, 64, 64}}, {}, {made});
    const plan::OpIndex copied = b.copy("out", "to host", kBytes, made, host);
    b.wait("host waits", {copied});
    b.communicate("dp", "reduce",
                  {plan::collective(Collective::all_reduce, model::Axis::dp, DataType::float32,
                                    kCount, host, host)});
    b.copy("in", "to device", kBytes, host, back);
    b.compute("optimizer", {}, {back}, {});
  }
  return plan;
}

class Replays : public ::testing::Test {
 protected:
  explicit Replays(plan::Plan plan) : plan_(std::move(plan)) {}
  Replays() : Replays(offloaded(test_session().control_plane().size())) {}

  const plan::RankClass& own() const { return plan_.classes.front(); }

  CheckOutcome check(std::uint64_t seed) {
    const StepBench bench{control_, *r_.device, alignment_, *r_.stream, progress_};
    const CheckedRank mine{stage_, plan_};
    return check_step(bench, &mine, seed, 0);
  }

  TestRank r_{{false, WaitPolicy::yield}};
  ControlPlane& control_ = test_session().control_plane();
  SteadyClock clock_;
  Progress progress_{clock_};
  Alignment alignment_{r_.comm->split(0, r_.rank), *r_.device,
                       std::vector<int>(static_cast<std::size_t>(r_.size), 0)};
  plan::Plan plan_;
  PlanCommunicators comms_{*r_.comm, plan_};
  std::vector<std::unique_ptr<Stream>> streams_ = make_streams(*r_.device, plan_);
  SlotMemory memory_{*r_.device, own(), *streams_.back()};
  Stage stage_{*r_.device, plan_, r_.rank, comms_, memory_, streams_};
};

TEST_F(Replays, CopiesAndWaitsOfTheHostKeepTheData) {
  ASSERT_EQ(plan::check(plan_), std::vector<std::string>{});
  for (const std::uint64_t seed : {1, 2}) {
    const CheckOutcome outcome = check(seed);
    EXPECT_GT(outcome.checked_elements, 0u);
    EXPECT_EQ(outcome.wrong_elements, 0u) << outcome.first_wrong;
  }
}

TEST_F(Replays, EveryOperationHasItsTimes) {
  const auto nothing = make_computation(Compute::none, *r_.device, own(), 0);
  Executor executor(stage_, own(), Timing::each_operation);
  const double start_s = r_.device->now_s();
  executor.run(*nothing);
  const double end_s = r_.device->now_s() - start_s;
  const std::vector<plan::OpTime> times = executor.times(start_s);
  ASSERT_EQ(times.size(), own().ops.size());
  for (std::size_t op = 0; op < times.size(); ++op) {
    if (own().ops[op].kind == plan::OpKind::wait) continue;
    EXPECT_GE(times[op].start_s, 0) << own().ops[op].label;
    EXPECT_LE(times[op].start_s, times[op].end_s) << own().ops[op].label;
    EXPECT_LE(times[op].end_s, end_s) << own().ops[op].label;
    for (const plan::OpIndex earlier : own().ops[op].after) {
      EXPECT_GE(times[op].start_s, times[earlier].end_s) << own().ops[op].label;
    }
  }
}

// Sees what a step may take while it goes on.
class Limits : public Computation {
 public:
  explicit Limits(const Progress& progress) : progress_(progress) {}
  void enqueue(plan::OpIndex index, const plan::Op&, Stream&) override {
    if (index == 0) seen_s.push_back(progress_.step().limit_s);
  }

  std::vector<double> seen_s;

 private:
  const Progress& progress_;
};

TEST_F(Replays, StepsThatAreLongMayBe) {
  Limits limits(progress_);
  Executor executor(stage_, own(), Timing::whole_step);
  const StepBench bench{control_, *r_.device, alignment_, *r_.stream, progress_};
  const std::vector<Replay> replays = {{"step", &executor, &limits}};
  StepSampling sampling;
  sampling.stop.fixed_samples = 1;
  sampling.warmup = 1;
  sample_steps(bench, replays, sampling);
  sampling.estimate_s = 100;
  sample_steps(bench, replays, sampling);
  EXPECT_EQ(limits.seen_s, (std::vector<double>{120, 120, 1000, 1000}));
}

// A plan whose reduction does not wait for what it reduces.
class WithoutOrder : public Replays {
 protected:
  WithoutOrder() : Replays(disordered(test_session().control_plane().size())) {}

  static plan::Plan disordered(int ranks) {
    plan::Plan plan = offloaded(ranks);
    for (plan::Op& op : plan.classes.front().ops) {
      if (op.label == "to device") op.after.clear();
    }
    return plan;
  }
};

TEST_F(WithoutOrder, AnOrderThatIsMissingIsWrongData) {
  if (r_.size == 1) GTEST_SKIP() << "one rank reduces nothing";
  EXPECT_NE(plan::check(plan_), std::vector<std::string>{});
  EXPECT_GT(check(1).wrong_elements, 0u);
}

}  // namespace
}  // namespace collbench::replay
