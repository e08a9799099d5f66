// SPDX-License-Identifier: Apache-2.0
// Predict: when each operation of a plan starts and ends, by a model of links and of computing.
//
// A stream does one operation after the other. An exchange starts when all its members have
// reached it, and takes as long as the link model says; messages of one fused group that go the
// same way follow each other. A rank has a link to the ranks of its node and one to other nodes,
// each with two directions, and what goes over one at the same time shares it; a group on several
// nodes takes the second. Communication does not slow computing: that is found by measuring.
//
// One rank of each class is followed: ranks of a class have equal times.
#pragma once

#include <string>
#include <vector>

#include "plan/link_model.h"
#include "plan/matching.h"
#include "plan/plan.h"

namespace collbench::plan {

struct ComputeModel {
  double flops = 400e12;       // floating-point operations per second that GEMMs reach
  double memory_Bps = 1.5e12;  // bytes per second that a copy moves: read and written count once
};

struct Costs {
  LinkModel links = {};
  ComputeModel compute = {};
};

/// The costs of a machine whose network is infinitely fast.
Costs on_an_infinite_network(const Costs& costs);

/// Seconds from the start of the step.
struct OpTime {
  double ready_s = 0;  // everything before it is done: it waits for its peers
  double start_s = 0;  // the first of its messages moves
  double end_s = 0;
};

/// By class and operation.
using Timeline = std::vector<std::vector<OpTime>>;

/// Throws std::logic_error for a plan in which operations wait for each other; see `check`.
Timeline predict(const Plan& plan, const Matching& matching, const Costs& costs);

double step_s(const Timeline& timeline);

/// What a step's time is made of.
struct StepTimes {
  double step_s = 0;
  double compute_s = 0;  // of the rank that computes most
  double bubble_s = 0;   // step without communication, less compute_s
  double exposed_s = 0;  // step less step without communication

  struct OfClass {
    double compute_s = 0;
    double idle_s = 0;           // step less compute_s
    double communication_s = 0;  // of its operations, whether hidden or not; waiting not counted
  };
  std::vector<OfClass> classes;
};

StepTimes predict_step(const Plan& plan, const Costs& costs);

/// For people.
std::string describe(const Plan& plan, const StepTimes& times);

}  // namespace collbench::plan
