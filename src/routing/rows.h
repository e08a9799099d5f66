// SPDX-License-Identifier: Apache-2.0
// Rows: how many rows of a layer's tokens go from rank to rank, in each way to send them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "routing/draw.h"
#include "routing/shape.h"
#include "traffic/matrix.h"

namespace collbench::routing {

using traffic::Matrix;

/// A number for each rank and expert: rows that the rank's tokens send to it.
class ExpertRows {
 public:
  ExpertRows(int ranks, int experts);

  int ranks() const { return ranks_; }
  int experts() const { return experts_; }
  std::uint64_t& at(int rank, int expert) { return numbers_[index(rank, expert)]; }
  std::uint64_t at(int rank, int expert) const { return numbers_[index(rank, expert)]; }

  std::uint64_t total() const;

  /// Of all ranks, by expert: the rows of its products, and what balancing looks at.
  std::vector<std::uint64_t> loads() const;

  bool operator==(const ExpertRows&) const = default;

 private:
  std::size_t index(int rank, int expert) const {
    return static_cast<std::size_t>(rank) * static_cast<std::size_t>(experts_) +
           static_cast<std::size_t>(expert);
  }

  int ranks_, experts_;
  std::vector<std::uint64_t> numbers_;
};

/// Rows where a token goes once to a rank, or to a node, that has several of its experts. What
/// stays on a rank stands in the diagonals.
struct Deduplicated {
  Matrix per_rank;  // one for each token and rank
  Matrix per_node;  // one for each token and node: to the node's rank in the sender's place
  Matrix fan_out;   // from there, one for each token and rank of the node
};

/// What the ranks of an expert-parallel group send in one layer and one micro-batch.
struct Rows {
  ExpertRows chosen;                         // copies that tokens ask for
  ExpertRows kept;                           // those that are not dropped: rows without padding
  std::optional<Deduplicated> deduplicated;  // absent where only counts are known
  std::optional<Count> capacity = {};        // rows of every rank and expert, padded
};

/// Rows from rank to rank, one for each kept copy, as Megatron's all-to-all sends them.
Matrix copies(const ExpertRows& rows);

/// The same with `capacity` rows for every expert, kept or padded.
Matrix padded_copies(const Shape& shape, Count capacity);

/// Of drawn choices, in the order of ranks. With a capacity a rank drops the copies of the last
/// tokens that choose an expert too often, and they go nowhere.
class Tally {
 public:
  Tally(const Shape& shape, std::optional<Count> capacity);

  /// Of the next rank.
  void add(const Choices& choices);

  /// Of all ranks, which must have been added.
  Rows rows() const;

 private:
  void add_token(std::span<const std::uint16_t> experts);
  void add_to_rank(int rank);

  Shape shape_;
  std::optional<Count> capacity_;
  ExpertRows chosen_, kept_;
  Deduplicated deduplicated_;
  int rank_ = -1;
  std::uint64_t token_ = 0;  // of all ranks, counted from 1
  std::vector<std::uint64_t> last_to_rank_, last_to_node_;
};

/// What the group sends in a layer, drawn as `spec` says. Requires a possible shape; throws as
/// Drawing does.
Rows drawn_rows(const RoutingSpec& spec, const Shape& shape, std::uint64_t layer,
                std::uint64_t batch, const Bias& bias = {});

// ---- what a matrix of rows says

/// All rows, also those that stay on their rank: what DeepEP's bandwidths count ("logical").
std::uint64_t all_rows(const Matrix& rows);

/// Rows that leave their rank: what bus bandwidth counts.
std::uint64_t moved_rows(const Matrix& rows);

/// Rows times bytes.
Matrix in_bytes(const Matrix& rows, Bytes row_bytes);

}  // namespace collbench::routing
