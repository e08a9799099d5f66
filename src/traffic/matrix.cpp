// SPDX-License-Identifier: Apache-2.0
#include "traffic/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace collbench::traffic {
namespace {

__extension__ using Wide = unsigned __int128;  // a product of two 64-bit numbers

}  // namespace

Matrix::Matrix(int ranks)
    : ranks_(ranks),
      numbers_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks), 0) {}

std::uint64_t Matrix::sent_by(int rank) const {
  const auto row = numbers_.begin() + static_cast<std::ptrdiff_t>(index(rank, 0));
  return std::accumulate(row, row + ranks_, std::uint64_t{0});
}

std::uint64_t Matrix::received_by(int rank) const {
  std::uint64_t sum = 0;
  for (int from = 0; from < ranks_; ++from) sum += at(from, rank);
  return sum;
}

std::uint64_t Matrix::most_sent() const {
  std::uint64_t most = 0;
  for (int rank = 0; rank < ranks_; ++rank) most = std::max(most, sent_by(rank));
  return most;
}

std::uint64_t Matrix::most_received() const {
  std::uint64_t most = 0;
  for (int rank = 0; rank < ranks_; ++rank) most = std::max(most, received_by(rank));
  return most;
}

std::uint64_t Matrix::largest_sum() const { return std::max(most_sent(), most_received()); }

Matrix scaled(const Matrix& weights, Bytes message) {
  const std::uint64_t largest = weights.largest_sum();
  Matrix bytes(weights.ranks());
  if (largest == 0) return bytes;
  for (int from = 0; from < weights.ranks(); ++from) {
    for (int to = 0; to < weights.ranks(); ++to) {
      const Wide part = Wide{weights.at(from, to)} * message / largest;
      bytes.at(from, to) = static_cast<Bytes>(part) / kBlockAlignment * kBlockAlignment;
    }
  }
  return bytes;
}

Matrix in_elements(const Matrix& bytes, Bytes element_bytes) {
  Matrix elements(bytes.ranks());
  for (int from = 0; from < bytes.ranks(); ++from) {
    for (int to = 0; to < bytes.ranks(); ++to) {
      elements.at(from, to) = bytes.at(from, to) / element_bytes;
    }
  }
  return elements;
}

double max_over_mean(const Matrix& matrix) {
  double total = 0;
  for (int rank = 0; rank < matrix.ranks(); ++rank) {
    total += static_cast<double>(matrix.sent_by(rank));
  }
  if (total == 0) return 1;
  return static_cast<double>(matrix.largest_sum()) * matrix.ranks() / total;
}

std::string digest(const Matrix& matrix) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a, 64 bits at a time, mixed after each
  for (int from = 0; from < matrix.ranks(); ++from) {
    for (int to = 0; to < matrix.ranks(); ++to) {
      hash = (hash ^ matrix.at(from, to)) * 0x100000001b3ULL;
      hash ^= hash >> 32;
    }
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace collbench::traffic
