// SPDX-License-Identifier: Apache-2.0
// MatrixSpec: a traffic matrix in a few words, and the matrices that they mean.
//
// All weights come from exact integers or portable_math.h, so that every rank makes the same matrix
// from the same words and seed, whatever its platform.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "traffic/matrix.h"

namespace collbench::traffic {

enum class MatrixKind : std::uint8_t { uniform, linear, zipf, lognormal, hot, file };

struct MatrixKindRow {
  MatrixKind kind;
  std::string_view name;       // what stands before the colon
  std::string_view parameter;  // what stands after it; empty: nothing
  double least, most;          // of the parameter where it is a number
  std::string_view meaning;
};

inline constexpr std::array<MatrixKindRow, 6> kMatrixKinds = {{
    {MatrixKind::uniform, "uniform", "", 0, 0, "the same for every pair"},
    {MatrixKind::linear, "linear", "SPREAD", 0, 1,
     "grows with the distance to the receiver, as nccl-tests does it; 0 is uniform"},
    {MatrixKind::zipf, "zipf", "EXPONENT", 0, 10,
     "the k-th most popular receiver gets 1/k^EXPONENT, of every sender alike"},
    {MatrixKind::lognormal, "lognormal", "SIGMA", 0, 10,
     "every pair draws its own, with this deviation of the logarithm"},
    {MatrixKind::hot, "hot", "SHARE", 0, 1, "one rank gets SHARE of what everyone sends"},
    {MatrixKind::file, "file", "PATH", 0, 0,
     "bytes, a line per sending rank of one number per receiver; # begins a comment; without -b "
     "and -e these bytes are measured, each cut to a multiple of 16"},
}};

/// As a user gives it: "linear:SPREAD".
std::string named_with_parameter(const MatrixKindRow& row);

struct MatrixSpec {
  MatrixKind kind = MatrixKind::uniform;
  double parameter = 0;
  std::string path;  // of file

  bool operator==(const MatrixSpec&) const = default;
};

/// Reads "uniform", "zipf:1.2", "file:counts.txt". Throws UserError that names the flag.
MatrixSpec parse_matrix_spec(std::string_view text, std::string_view flag);

/// "zipf:1.2": what parse_matrix_spec reads as the same.
std::string to_text(const MatrixSpec& spec);

/// The weights of a spec that is no file. Which ranks are popular or hot depends on the seed.
Matrix make_weights(const MatrixSpec& spec, int ranks, std::uint64_t seed);

/// What tells measurements with different matrices apart: "uniform", "zipf:1.2 seed 7", or a
/// file's name with the digest of its numbers.
std::string identity(const MatrixSpec& spec, std::uint64_t seed, const Matrix& weights);

}  // namespace collbench::traffic
