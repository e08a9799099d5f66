// SPDX-License-Identifier: Apache-2.0
// OpenBlas: the library of the host that multiplies matrices, opened when somebody wants it.
#pragma once

#include <string>

#include "base/bytes.h"

namespace collbench {

/// A matrix of floats, row by row; rows begin `stride` elements from each other.
template <class T>
struct MatrixPart {
  T* start;
  Count stride;
};

class OpenBlas {
 public:
  static constexpr const char* kFile = "libopenblas.so.0";

  /// Stays loaded, and starts no thread. Throws SystemError: which file was looked for, why it
  /// cannot be had, and what to install.
  explicit OpenBlas(const char* file = kFile);

  /// "OpenBLAS 0.3.21"
  const std::string& name() const { return name_; }

  /// C (m x n) = A (m x k) B (k x n), or added to what C was. Dimensions have 31 bits.
  struct Product {
    Count m;
    Count n;
    Count k;
    MatrixPart<const float> a;
    MatrixPart<const float> b;
    MatrixPart<float> c;
    bool adds;
  };
  void multiply(const Product& product) const;

 private:
  void* sgemm_;
  std::string name_;
};

}  // namespace collbench
