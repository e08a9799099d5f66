// SPDX-License-Identifier: Apache-2.0
#include "routing/rows.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace collbench::routing {

ExpertRows::ExpertRows(int ranks, int experts)
    : ranks_(ranks),
      experts_(experts),
      numbers_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(experts), 0) {}

std::uint64_t ExpertRows::total() const {
  return std::accumulate(numbers_.begin(), numbers_.end(), std::uint64_t{0});
}

std::vector<std::uint64_t> ExpertRows::loads() const {
  std::vector<std::uint64_t> loads(static_cast<std::size_t>(experts_), 0);
  for (std::size_t i = 0; i < numbers_.size(); ++i) loads[i % loads.size()] += numbers_[i];
  return loads;
}

Matrix copies(const ExpertRows& rows) {
  Matrix matrix(rows.ranks());
  const int per_rank = rows.experts() / rows.ranks();
  for (int from = 0; from < rows.ranks(); ++from) {
    for (int expert = 0; expert < rows.experts(); ++expert) {
      matrix.at(from, expert / per_rank) += rows.at(from, expert);
    }
  }
  return matrix;
}

Matrix padded_copies(const Shape& shape, Count capacity) {
  Matrix matrix(shape.ranks);
  for (int from = 0; from < shape.ranks; ++from) {
    for (int to = 0; to < shape.ranks; ++to) {
      matrix.at(from, to) = capacity * static_cast<Count>(experts_of_rank(shape));
    }
  }
  return matrix;
}

Tally::Tally(const Shape& shape, std::optional<Count> capacity)
    : shape_(shape),
      capacity_(capacity),
      chosen_(shape.ranks, shape.experts),
      kept_(shape.ranks, shape.experts),
      deduplicated_{Matrix(shape.ranks), Matrix(shape.ranks), Matrix(shape.ranks)},
      last_to_rank_(static_cast<std::size_t>(shape.ranks), 0),
      last_to_node_(static_cast<std::size_t>(nodes(shape)), 0) {}

void Tally::add(const Choices& choices) {
  if (++rank_ == shape_.ranks) throw std::logic_error("more choices than ranks");
  for (std::size_t token = 0; token < choices.tokens(); ++token) add_token(choices.of(token));
}

void Tally::add_token(std::span<const std::uint16_t> experts) {
  ++token_;
  const int per_rank = experts_of_rank(shape_);
  for (const std::uint16_t expert : experts) {
    ++chosen_.at(rank_, expert);
    std::uint64_t& kept = kept_.at(rank_, expert);
    if (capacity_ && kept == *capacity_) continue;
    ++kept;
    add_to_rank(expert / per_rank);
  }
}

void Tally::add_to_rank(int rank) {
  std::uint64_t& last_to_rank = last_to_rank_[static_cast<std::size_t>(rank)];
  if (last_to_rank == token_) return;
  last_to_rank = token_;
  ++deduplicated_.per_rank.at(rank_, rank);
  const int node = rank / shape_.ranks_per_node;
  const int gateway = node * shape_.ranks_per_node + rank_ % shape_.ranks_per_node;
  ++deduplicated_.fan_out.at(gateway, rank);
  std::uint64_t& last_to_node = last_to_node_[static_cast<std::size_t>(node)];
  if (last_to_node == token_) return;
  last_to_node = token_;
  ++deduplicated_.per_node.at(rank_, gateway);
}

Rows Tally::rows() const { return {chosen_, kept_, deduplicated_, capacity_}; }

Rows drawn_rows(const RoutingSpec& spec, const Shape& shape, std::uint64_t layer,
                std::uint64_t batch, const Bias& bias) {
  std::optional<Count> capacity;
  if (spec.capacity) capacity = capacity_rows(shape, *spec.capacity);
  const Drawing drawing(spec, shape, layer, batch, bias);
  Tally tally(shape, capacity);
  for (int rank = 0; rank < shape.ranks; ++rank) tally.add(drawing.of_rank(rank));
  return tally.rows();
}

std::uint64_t all_rows(const Matrix& rows) {
  std::uint64_t sum = 0;
  for (int rank = 0; rank < rows.ranks(); ++rank) sum += rows.sent_by(rank);
  return sum;
}

std::uint64_t moved_rows(const Matrix& rows) {
  std::uint64_t stay = 0;
  for (int rank = 0; rank < rows.ranks(); ++rank) stay += rows.at(rank, rank);
  return all_rows(rows) - stay;
}

Matrix in_bytes(const Matrix& rows, Bytes row_bytes) {
  Matrix bytes(rows.ranks());
  for (int from = 0; from < rows.ranks(); ++from) {
    for (int to = 0; to < rows.ranks(); ++to) bytes.at(from, to) = rows.at(from, to) * row_bytes;
  }
  return bytes;
}

}  // namespace collbench::routing
