// SPDX-License-Identifier: Apache-2.0
// LayoutRun: everything that is measured of one layout of a pattern.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/pattern_options.h"
#include "comm/backend.h"
#include "measure/data_check.h"
#include "plan/distinct_exchanges.h"
#include "replay/step_sampler.h"

namespace collbench {

/// What a layout's measurement begins with; the same on every rank but for what is the rank's own.
struct LayoutBench {
  replay::StepBench steps;
  Communicator& all;  // ranks of the run
  const PatternOptions& options;
};

/// How often steps are timed: they last long, so that fewer of them say how long than operations
/// would.
replay::StepSampling sampling_of_steps(const PatternOptions& options);

/// A step and its variants, see plan/variants.h.
struct LayoutSamples {
  replay::StepSamples step;
  struct Variants {
    replay::StepSamples computing, skeleton, communication;
  };
  std::optional<Variants> variants;  // unless the step alone is asked for
};

/// An exchange alone.
struct MessageSamples {
  plan::DistinctExchange exchange;
  double median_s = 0;
};

/// Of each class, by operation: one step of the whole plan, and of what it is made of.
struct LayoutTimelines {
  plan::Timeline step, computing, communication;
};

class LayoutRun {
 public:
  /// Of the first ranks of the run, as many as the plan has; the others go along and wait. Throws
  /// UserError, the same on every rank, where what is communicated does not fit into memory.
  /// Collective over the run, as everything below.
  LayoutRun(const LayoutBench& bench, const plan::Plan& plan);

  LayoutSamples sample();
  std::vector<MessageSamples> sample_messages();
  LayoutTimelines timelines();
  CheckOutcome check();

  /// The library that computes; empty where none does.
  std::string computing_library() const { return computation_ ? computation_->library() : ""; }

 private:
  // A plan with this rank's operations of it.
  struct Part {
    explicit Part(plan::Plan of) : plan(std::move(of)) {}
    const plan::Plan plan;
    std::optional<replay::Executor> executor;
  };

  bool takes_part() const { return comms_.has_value(); }
  const plan::RankClass& own(const plan::Plan& plan) const;
  void make_stage();
  void refuse_beyond_memory() const;
  std::unique_ptr<Part> part(plan::Plan plan, replay::Timing timing) const;
  replay::Replay replay(std::string what, Part& part, replay::Computation* computation);
  plan::Timeline timeline(std::string what, plan::Plan plan, replay::Computation* computation);
  double sample_message(const plan::DistinctExchange& exchange);
  double time_of(const std::string& what, const plan::Exchange& exchange, int times,
                 const replay::StepSampling& sampling);

  const LayoutBench& bench_;
  const plan::Plan& plan_;
  std::optional<replay::PlanCommunicators> comms_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::optional<replay::SlotMemory> memory_;
  std::optional<replay::Stage> stage_;
  std::unique_ptr<replay::Computation> computation_, nothing_;
};

}  // namespace collbench
