// SPDX-License-Identifier: Apache-2.0
#include "comm/gemms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/element.h"
#include "base/errors.h"

namespace collbench {
namespace {

void refuse_too_large(const GemmShape& shape) {
  constexpr Count kMost = std::numeric_limits<std::int32_t>::max();
  if (std::max({shape.m, shape.n, shape.k}) <= kMost) return;
  throw SystemError(
      fmt::format("a product of {} x {} and {} x {} numbers: BLAS takes no dimension above {}",
                  shape.m, shape.k, shape.k, shape.n, kMost));
}

}  // namespace

GemmOperands operands_for(std::span<const GemmShape> shapes) {
  GemmOperands operands;
  for (const GemmShape& shape : shapes) {
    refuse_too_large(shape);
    operands.a = std::max(operands.a, shape.m * shape.k);
    operands.b = std::max(operands.b, shape.k * shape.n);
    operands.c = std::max(operands.c, shape.m * shape.n);
  }
  return operands;
}

bool fits(const GemmShape& shape, const GemmOperands& operands) {
  return shape.m * shape.k <= operands.a && shape.k * shape.n <= operands.b &&
         shape.m * shape.n <= operands.c;
}

Pattern operand_pattern(DataType type) {
  Pattern pattern;
  pattern.type = type;
  visit_element_type(type, [&](auto element) {
    using T = typename decltype(element)::type;
    if constexpr (!kIsInteger<T>) {
      for (Count i = 0; i < kPatternValues; ++i) {
        const T value = from_double<T>((scatter(i) - 127.5) / 128);
        std::memcpy(pattern.values.data() + i * sizeof value, &value, sizeof value);
      }
    }
  });
  return pattern;
}

}  // namespace collbench
