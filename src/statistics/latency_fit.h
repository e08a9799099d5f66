// SPDX-License-Identifier: Apache-2.0
// Latency and bandwidth from measured times of messages of several sizes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace collbench::statistics {

/// A measured time: of a message of `size`, any unit, in `time`, any unit.
struct SizeTime {
  double size;
  double time;
};

/// time = latency + size / bandwidth, for sizes from `from_size` up to the next piece.
struct LatencyFit {
  double from_size;
  double latency;
  double bandwidth;
  double median_error;  // of |time / prediction - 1|
  std::size_t points;
};

/// One line through all points. Requires two sizes and times above 0.
///
/// Iterated least squares of relative residuals with Huber's weights (constant 1.345, scale from
/// the median absolute deviation): absolute residuals would see the largest messages only, and
/// spikes would bend the line.
LatencyFit fit_latency(std::span<const SizeTime> points);

/// Up to three pieces of at least four points each, as many as Schwarz's information criterion
/// wants: libraries change their protocol with the size. Points must be sorted by size. Pieces
/// begin between two sizes; of more than 49 sizes, at 48 of them.
std::vector<LatencyFit> fit_latency_pieces(std::span<const SizeTime> points);

}  // namespace collbench::statistics
