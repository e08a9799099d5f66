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

/// What a layout's measurement begins with. All layouts of a run share it.
struct LayoutBench {
  replay::StepBench steps;
  Communicator& all;  // ranks of the run
  const PatternOptions& options;
};

/// How often steps are timed: they last long, so that fewer of them say how long than operations
/// would.
replay::StepSampling sampling_of_steps(const PatternOptions& options);
/// Of each step of --balance: a few times, since there are many.
replay::StepSampling sampling_of_balanced_steps(const PatternOptions& options);

/// A step and its variants, see plan/variants.h; `latency` is the skeleton without computing.
struct LayoutSamples {
  replay::StepSamples step;
  struct Variants {
    replay::StepSamples computing, skeleton, communication, latency;
  };
  std::optional<Variants> variants;  // unless the step alone is asked for
};

/// What an exchange takes by itself, with caches as the step before it leaves them.
struct MessageTime {
  plan::DistinctExchange exchange;
  double median_s = 0;
  std::optional<double> even_s = {};  // of one with a matrix: of the same bytes divided evenly
};

/// Of each class, by operation: one step of the whole plan, and of what it is made of.
struct LayoutTimelines {
  plan::Timeline step, computing, communication;
};

/// Steps in which only these axes communicate: by sample, and of busy_s by axis as well. See
/// plan/axis_times.h.
struct AxisLoadTimes {
  std::vector<model::Axis> axes;
  std::vector<double> step_s;
  std::vector<std::vector<double>> busy_s;
};

class LayoutRun {
 public:
  /// Of a rank that takes part.
  using Comms = std::shared_ptr<const std::optional<replay::PlanCommunicators>>;

  /// Of the first ranks of the run, as many as the plan has; the others go along and wait. `comms`
  /// are those of another step of the same layout, over whose axes this one communicates, too.
  /// Throws UserError, the same on every rank, where what is communicated does not fit into memory.
  /// Collective over the run, as everything below.
  LayoutRun(const LayoutBench& bench, const plan::Plan& plan, Comms comms = nullptr);

  const Comms& communicators() const { return comms_; }

  LayoutSamples sample();
  /// The whole step alone.
  replay::StepSamples sample_step(const replay::StepSampling& sampling);
  std::vector<MessageTime> time_messages();
  LayoutTimelines timelines();
  /// In turns, of plan::axes_together; nothing where there are fewer than two axes.
  std::vector<AxisLoadTimes> time_axes();
  CheckOutcome check();

  /// The library that computes; empty where none does.
  std::string computing_library() const { return computation_ ? computation_->library() : ""; }

 private:
  // This rank's operations of a plan; none where it takes no part.
  struct Part {
    plan::RankClass ranks;
    std::optional<replay::Executor> executor;
  };

  // A step with the messages of some axes, and what it has taken.
  struct LoadedAxes {
    AxisLoadTimes times;
    plan::Plan plan;
    plan::Matching matching;
    std::unique_ptr<Part> part;
  };

  bool takes_part() const { return comms_->has_value(); }
  Comms make_communicators() const;
  const plan::RankClass& own(const plan::Plan& plan) const;
  void make_stage();
  void refuse_beyond_memory() const;
  std::unique_ptr<Part> part(const plan::Plan& plan, replay::Timing timing) const;
  replay::Replay replay(std::string what, Part& part, replay::Computation* computation);
  plan::Timeline timeline(std::string what, const plan::Plan& plan,
                          replay::Computation* computation);
  LayoutSamples sample_variants();
  LoadedAxes load_axes(const std::vector<model::Axis>& axes) const;
  void time_load(LoadedAxes& loaded);
  std::vector<double> medians_in_turns(const plan::Turns& turns, std::size_t distinct);
  void add_even_times(std::vector<MessageTime>& all);

  const LayoutBench& bench_;
  const plan::Plan& plan_;
  const std::vector<plan::DistinctExchange> exchanges_;
  const plan::Turns turns_;
  double slowest_step_s_;  // that was timed, or thought of: deadlines must let it end
  Comms comms_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::optional<replay::SlotMemory> memory_;
  std::optional<replay::Stage> stage_;
  std::unique_ptr<replay::Computation> computation_, nothing_;
};

}  // namespace collbench
