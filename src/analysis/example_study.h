// SPDX-License-Identifier: Apache-2.0
// A study of scaling, for tests of its formats. tests/golden/ has it as a file.
#pragma once

#include <limits>

#include "analysis/scaling_study.h"
#include "results/example_steps.h"

namespace collbench::example {

inline StepCurve step_curve() {
  StepCurve curve;
  curve.key = step().key;
  curve.axis = "dp";
  curve.weak = false;
  curve.base_ranks = 4;
  curve.points = {{.ranks = 4,
                   .nodes = 2,
                   .degree = 2,
                   .launches = 3,
                   .step_s = 20e-3,
                   .tokens = 65'536,
                   .tokens_per_s = 3'276'800,
                   .exposed_share = 0.15},
                  {.ranks = 8,
                   .nodes = 4,
                   .degree = 4,
                   .step_s = 12.5e-3,
                   .tokens = 65'536,
                   .tokens_per_s = 5'242'880,
                   .speedup = 1.6,
                   .efficiency = 0.8,
                   .marginal_efficiency = 0.8,
                   .karp_flatt = 0.25,
                   .flags = {"oversubscribed"}},
                  {.ranks = 16,
                   .nodes = 8,
                   .degree = 8,
                   .step_s = 4e-3,
                   .tokens = 65'536,
                   .tokens_per_s = 16'384'000,
                   .speedup = 5,
                   .efficiency = 1.25,
                   .marginal_efficiency = 1.5625,
                   .karp_flatt = -0.0666667}};
  statistics::ScalingLaw amdahl = {.kind = statistics::LawKind::amdahl,
                                   .single = 900'000,
                                   .contention = 0.0125,
                                   .median_error = 0.25,
                                   .points = 3,
                                   .contention_without_one = {0, 0.2}};
  statistics::ScalingLaw universal = amdahl;
  universal.kind = statistics::LawKind::universal;
  universal.coherency = 2e-7;
  universal.median_error = 0.03;
  universal.coherency_without_one = {0, 1e-6};
  curve.laws = {{amdahl, false, std::nullopt},
                {universal, true, Extrapolation{32, 20e6, {15e6, 25e6}}}};
  return curve;
}

inline RowCurve row_curve() {
  RowCurve curve;
  curve.key = measured(false).key;
  curve.base_ranks = curve.key.ranks;
  curve.latency_bytes = 8;
  curve.points = {{.ranks = 2,
                   .nodes = 2,
                   .launches = 5,
                   .latency_s = 4e-6,
                   .plateau_Bps = 10e9,
                   .plateau_retention = 1,
                   .flags = {"drift", "imprecise"}},
                  {.ranks = 4, .nodes = 4, .latency_s = 7.5e-6}};
  curve.growth = statistics::GrowthFit{.growth = statistics::Growth::logarithmic,
                                       .start = 0.5e-6,
                                       .slope = 3.5e-6,
                                       .median_error = 0.02,
                                       .points = 5,
                                       .criterion_lead = 1.5};
  return curve;
}

inline ScalingStudy study() {
  LinkFit link = {.key = measured(false).key,
                  .pieces = {{8, 4e-6, std::numeric_limits<double>::infinity(), 0.01, 6},
                             {65'536, 6e-6, 12.5e9, 0.02, 20}},
                  .median_error = 0.015};
  LinkFit poor = link;
  poor.key.ranks = 4;
  poor.pieces.erase(poor.pieces.begin());
  poor.median_error = 0.2;
  poor.adequate = false;
  return {.steps = {step_curve()},
          .rows = {row_curve()},
          .links = {link, poor},
          .left_out = {{"zero of llama3-8b", 32, "skipped: no memory"},
                       {"all_gather", std::nullopt, "no size was measured at all counts"}}};
}

}  // namespace collbench::example
