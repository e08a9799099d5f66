// SPDX-License-Identifier: Apache-2.0
// Sampling of whole steps: replays of a plan and of its variants, in turns, so that what changes on
// the machine meanwhile changes all of them alike.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comm/control_plane.h"
#include "comm/device.h"
#include "measure/alignment.h"
#include "measure/progress.h"
#include "measure/stop_rule.h"
#include "replay/computation.h"
#include "replay/executor.h"

namespace collbench::replay {

/// What every rank of the run samples with.
struct StepBench {
  ControlPlane& control;
  Device& device;
  Alignment& alignment;  // of all ranks of the run
  Stream& stream;        // that it happens on
  Progress& progress;
};

/// One of what is sampled in turns. Ranks that the plan has no part for have no executor, and wait.
struct Replay {
  std::string what;  // "step", for deadlines
  Executor* executor = nullptr;
  Computation* computation = nullptr;
};

struct StepSampling {
  StopRule stop;  // by the first replay; its times are those of whole rounds
  std::uint64_t warmup = 2;
  double deadline_s = 120;  // without a finished step; 0: none
  double estimate_s = 0;    // of one step, while none has been timed
};

struct StepSamples {
  std::vector<std::vector<double>> by_sample_s;  // [sample][rank of the run]
  std::vector<double> values_s;                  // of each sample, the maximum over ranks
};

/// Runs each replay as a warm-up, then rounds of one step of each until rank 0 has enough. Every
/// step begins with an alignment of all ranks and is timed from there until the rank's streams are
/// drained. The returned values, one for each replay, are the same on every rank. Collective over
/// the run.
std::vector<StepSamples> sample_steps(const StepBench& bench, std::span<const Replay> replays,
                                      const StepSampling& sampling);

/// One step, aligned; returns when it started and ended by the device's clock.
struct TimedStep {
  double start_s = 0;
  double end_s = 0;
};
TimedStep time_step(const StepBench& bench, const Replay& replay, double limit_s);

}  // namespace collbench::replay
