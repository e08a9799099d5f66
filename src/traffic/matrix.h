// SPDX-License-Identifier: Apache-2.0
// Matrix: who sends how much to whom.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "traffic/sizes.h"

namespace collbench::traffic {

/// A number for each pair of ranks, by sender and receiver: a weight, bytes or elements.
class Matrix {
 public:
  explicit Matrix(int ranks);

  int ranks() const { return ranks_; }
  std::uint64_t& at(int from, int to) { return numbers_[index(from, to)]; }
  std::uint64_t at(int from, int to) const { return numbers_[index(from, to)]; }

  std::uint64_t sent_by(int rank) const;
  std::uint64_t received_by(int rank) const;

  /// Of the rank that sends most, and of the rank that receives most.
  std::uint64_t most_sent() const;
  std::uint64_t most_received() const;

  /// The most that any rank sends or receives.
  std::uint64_t largest_sum() const;

  bool operator==(const Matrix&) const = default;

 private:
  std::size_t index(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks_) +
           static_cast<std::size_t>(to);
  }

  int ranks_;
  std::vector<std::uint64_t> numbers_;
};

/// Bytes in the proportions of `weights`: the most that a rank sends or receives is `message`, less
/// what is lost because every number is cut to a multiple of kBlockAlignment. Where `weights` has
/// that sum already its numbers are only cut.
///
/// Requires sums below 2^63. Exact integer arithmetic, so that every rank gets the same matrix.
Matrix scaled(const Matrix& weights, Bytes message);

/// The bytes as elements of `element_bytes`, which divides them.
Matrix in_elements(const Matrix& bytes, Bytes element_bytes);

/// How uneven the load is: the most that a rank sends or receives, over the mean; 1 when all ranks
/// have the same, and where nothing is sent.
double max_over_mean(const Matrix& matrix);

/// 16 hexadecimal digits that differ, as good as certainly, between different matrices.
std::string digest(const Matrix& matrix);

}  // namespace collbench::traffic
