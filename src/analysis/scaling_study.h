// SPDX-License-Identifier: Apache-2.0
// ScalingStudy: what result files of different numbers of ranks say together.
//
// Nothing is compared that is not the same measurement but for its number of ranks: steps of a part
// of a model (--layers, --shrink), of another way to compute, of another scheme or backend make
// curves of their own. Several launches of one measurement count by their median.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/document.h"
#include "statistics/growth_fit.h"
#include "statistics/latency_fit.h"
#include "statistics/scaling_fit.h"

namespace collbench {

/// What was measured and is in no curve, or what a curve lacks.
struct StudyGap {
  std::string what;          // "zero of tiny", "all_reduce"
  std::optional<int> ranks;  // absent where all counts are meant
  std::string reason;

  bool operator==(const StudyGap&) const = default;
};

struct StepCurvePoint {
  int ranks = 0;
  int nodes = 1;
  int degree = 1;            // of the varied axis
  std::size_t launches = 1;  // whose median it is
  double step_s = 0;
  Count tokens = 0;  // of a step, over all ranks
  double tokens_per_s = 0;
  double speedup = 1;     // throughput / that of the base
  double efficiency = 1;  // speedup / (ranks / base ranks); above kSuperlinear look at the base
  std::optional<double> marginal_efficiency{};  // the same, with the point before as base
  // (1 / speedup - 1 / n) / (1 - 1 / n) with n = ranks / base ranks: what share of the work would
  // not divide if that were all that is lost. Of fixed work, and above the base.
  // Source: Karp and Flatt, Communications of the ACM 33 (1990).
  std::optional<double> karp_flatt{};
  std::optional<double> exposed_share{};
  std::vector<std::string> flags{};  // of any launch

  bool operator==(const StepCurvePoint&) const = default;
};

/// What a law says beyond what was measured.
struct Extrapolation {
  int ranks = 0;  // twice the largest that was measured
  double tokens_per_s = 0;
  statistics::Interval without_one_tokens_per_s{0, 0};  // as in statistics/scaling_fit.h

  bool operator==(const Extrapolation&) const = default;
};

struct CurveLaw {
  statistics::ScalingLaw law;             // of tokens per second
  bool adequate = true;                   // its median error is up to kAdequateError
  std::optional<Extrapolation> beyond{};  // where it is adequate

  bool operator==(const CurveLaw&) const = default;
};

/// Steps that differ in the degree of one axis of parallelism.
struct StepCurve {
  StepKey key;       // of the base
  std::string axis;  // "dp"
  bool weak = true;  // every rank keeps its work; else the step does (strong scaling)
  int base_ranks = 0;
  std::vector<StepCurvePoint> points{};  // ascending in ranks, two at least
  std::vector<CurveLaw> laws{};          // Amdahl's of three counts, the universal one of five

  bool operator==(const StepCurve&) const = default;
};

struct RowCurvePoint {
  int ranks = 0;
  int nodes = 1;
  std::size_t launches = 1;
  double latency_s = 0;                       // of the small message
  std::optional<double> plateau_Bps{};        // bus bandwidth of large ones
  std::optional<double> plateau_retention{};  // of that of the base
  std::vector<std::string> flags{};           // of any of its rows

  bool operator==(const RowCurvePoint&) const = default;
};

/// A collective at several counts of two ranks and more, out of place.
struct RowCurve {
  RowKey key;  // of the base's small message
  int base_ranks = 0;
  Bytes latency_bytes = 0;              // as asked for: the smallest that all counts have measured
  std::vector<RowCurvePoint> points{};  // ascending in ranks, two at least
  std::optional<statistics::GrowthFit> growth{};  // of latency, of three counts

  bool operator==(const RowCurve&) const = default;
};

/// Latency and bandwidth of a collective at one count, out of place.
struct LinkFit {
  RowKey key;                                    // of its smallest message
  std::vector<statistics::LatencyFit> pieces{};  // bytes and seconds, by size
  double median_error = 0;                       // of |time / fitted - 1|, over all sizes
  bool adequate = true;                          // that is up to kAdequateError; else no line fits

  bool operator==(const LinkFit&) const = default;
};

struct ScalingStudy {
  std::vector<StepCurve> steps{};
  std::vector<RowCurve> rows{};
  std::vector<LinkFit> links{};
  std::vector<StudyGap> left_out{};

  bool operator==(const ScalingStudy&) const = default;
};

/// A fit with more than this median error says nothing beyond its points.
inline constexpr double kAdequateError = 0.1;

/// `base_ranks` is what others are compared with; absent: the smallest count of each curve. Curves
/// without it are left out, with that reason.
ScalingStudy study_scaling(std::span<const Document> documents,
                           std::optional<int> base_ranks = std::nullopt);
ScalingStudy study_scaling(std::span<const Document* const> documents,
                           std::optional<int> base_ranks = std::nullopt);

}  // namespace collbench
