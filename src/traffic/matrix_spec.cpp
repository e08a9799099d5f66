// SPDX-License-Identifier: Apache-2.0
#include "traffic/matrix_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/named_rows.h"
#include "base/portable_math.h"

namespace collbench::traffic {
namespace {

const MatrixKindRow& row_of(MatrixKind kind) {
  return kMatrixKinds[static_cast<std::size_t>(kind)];
}

// ---- words

double parse_parameter(std::string_view text, const MatrixKindRow& row, std::string_view flag) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !(value >= row.least && value <= row.most)) {
    throw UserError(fmt::format("{} {}: the {} '{}' is no number from {} to {}", flag, row.name,
                                row.parameter, text, row.least, row.most));
  }
  return value;
}

// ---- weights

// A share of 1 as an integer: fine enough for any share, small enough to be summed.
constexpr double kOne = 0x1p32;
constexpr double kLog2OfE = 0x1.71547652b82fep+0;
std::uint64_t as_integer(double share) { return static_cast<std::uint64_t>(share * kOne + 0.5); }

template <class Weight>
Matrix fill(int ranks, Weight weight) {
  Matrix matrix(ranks);
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) matrix.at(from, to) = weight(from, to);
  }
  return matrix;
}

// The ranks in an order that the seed chooses.
std::vector<int> shuffled(int ranks, PortableRandom& random) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[random.below(left)]);
  }
  return order;
}

// nccl-tests: (1-s)/n + s d / (n(n-1)/2) for the distance d = (to - from) mod n; here times
// n(n-1)/2 and in units of 2^-33.
Matrix linear(int ranks, double spread) {
  const std::uint64_t s = as_integer(spread);
  const auto n = static_cast<std::uint64_t>(ranks);
  return fill(ranks, [&](int from, int to) -> std::uint64_t {
    if (n == 1) return 1;
    const auto distance = static_cast<std::uint64_t>((to - from + ranks) % ranks);
    return (as_integer(1) - s) * (n - 1) + 2 * s * distance;
  });
}

Matrix zipf(int ranks, double exponent, PortableRandom& random) {
  const std::vector<int> popular_first = shuffled(ranks, random);
  std::vector<std::uint64_t> popularity(popular_first.size());
  for (std::size_t k = 0; k < popular_first.size(); ++k) {
    const double share = portable_exp2(-exponent * portable_log2(static_cast<double>(k + 1)));
    popularity[static_cast<std::size_t>(popular_first[k])] = as_integer(share);
  }
  return fill(ranks, [&](int, int to) { return popularity[static_cast<std::size_t>(to)]; });
}

Matrix lognormal(int ranks, double sigma, PortableRandom& random) {
  const auto pairs = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks);
  std::vector<double> logarithms(pairs);
  for (double& logarithm : logarithms) logarithm = random.normal() * sigma * kLog2OfE;
  const double largest = *std::max_element(logarithms.begin(), logarithms.end());
  auto next = logarithms.begin();
  return fill(ranks, [&](int, int) { return as_integer(portable_exp2(*next++ - largest)); });
}

// Who is not hot shares the rest alike; here times n-1.
Matrix hot(int ranks, double share, PortableRandom& random) {
  const auto hot_rank = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
  const std::uint64_t s = as_integer(share);
  const auto others = static_cast<std::uint64_t>(ranks - 1);
  return fill(ranks, [&](int, int to) -> std::uint64_t {
    if (others == 0) return 1;
    return to == hot_rank ? s * others : as_integer(1) - s;
  });
}

}  // namespace

std::string named_with_parameter(const MatrixKindRow& row) {
  return row.parameter.empty() ? std::string(row.name)
                               : fmt::format("{}:{}", row.name, row.parameter);
}

MatrixSpec parse_matrix_spec(std::string_view text, std::string_view flag) {
  const std::size_t colon = text.find(':');
  const MatrixKindRow& row =
      find_named(kMatrixKinds, text.substr(0, colon), flag, "traffic matrix");
  const std::string_view parameter =
      colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (row.parameter.empty() != (colon == std::string_view::npos)) {
    throw UserError(
        row.parameter.empty()
            ? fmt::format("{} {}: nothing can follow it", flag, row.name)
            : fmt::format("{} {}: give it as {}:{}", flag, row.name, row.name, row.parameter));
  }
  MatrixSpec spec;
  spec.kind = row.kind;
  if (row.kind == MatrixKind::file) {
    if (parameter.empty()) throw UserError(fmt::format("{} file: the path is empty", flag));
    spec.path = parameter;
  } else if (!row.parameter.empty()) {
    spec.parameter = parse_parameter(parameter, row, flag);
  }
  return spec;
}

std::string to_text(const MatrixSpec& spec) {
  const MatrixKindRow& row = row_of(spec.kind);
  if (spec.kind == MatrixKind::file) return fmt::format("{}:{}", row.name, spec.path);
  return row.parameter.empty() ? std::string(row.name)
                               : fmt::format("{}:{}", row.name, spec.parameter);
}

Matrix make_weights(const MatrixSpec& spec, int ranks, std::uint64_t seed) {
  PortableRandom random(seed);
  switch (spec.kind) {
    case MatrixKind::uniform:
      return fill(ranks, [](int, int) { return 1; });
    case MatrixKind::linear:
      return linear(ranks, spec.parameter);
    case MatrixKind::zipf:
      return zipf(ranks, spec.parameter, random);
    case MatrixKind::lognormal:
      return lognormal(ranks, spec.parameter, random);
    case MatrixKind::hot:
      return hot(ranks, spec.parameter, random);
    case MatrixKind::file:
      break;
  }
  throw std::logic_error("the weights of a file are read, not made");
}

std::string identity(const MatrixSpec& spec, std::uint64_t seed, const Matrix& weights) {
  switch (spec.kind) {
    case MatrixKind::uniform:
    case MatrixKind::linear:
      return to_text(spec);
    case MatrixKind::zipf:
    case MatrixKind::lognormal:
    case MatrixKind::hot:
      return fmt::format("{} seed {}", to_text(spec), seed);
    case MatrixKind::file:
      break;
  }
  return fmt::format("file:{} {}", std::filesystem::path(spec.path).filename().string(),
                     digest(weights));
}

}  // namespace collbench::traffic
