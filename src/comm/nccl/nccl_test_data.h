// SPDX-License-Identifier: Apache-2.0
// Data of the plugin's tests: patterns of small numbers, and what collectives make of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "base/element.h"
#include "base/reduce_op.h"
#include "comm/device.h"

namespace collbench {

/// The pattern whose value in a slot is value(slot).
template <class Value>
Pattern pattern_of(DataType type, Value value) {
  Pattern pattern;
  pattern.type = type;
  visit_element_type(type, [&](auto element) {
    using T = typename decltype(element)::type;
    for (Count slot = 0; slot < kPatternValues; ++slot) {
      T number{};
      if constexpr (kIsInteger<T>) {
        number = static_cast<T>(static_cast<std::int64_t>(value(slot)));
      } else {
        number = from_double<T>(value(slot));
      }
      std::memcpy(pattern.values.data() + slot * sizeof number, &number, sizeof number);
    }
  });
  return pattern;
}

inline bool is_unsigned(DataType type) {
  return type == DataType::uint8 || type == DataType::uint32 || type == DataType::uint64;
}

/// What a rank gives to a reduction: numbers whose results are exact in every type, for few ranks.
/// To an average, multiples of the ranks whose parts are powers of two: then it makes no difference
/// whether data is scaled before it is added up, or after.
inline double input(ReduceOp op, DataType type, int rank, int ranks, Count slot) {
  const auto mixed = static_cast<double>((static_cast<Count>(rank) * 3 + slot * 5) % 4);
  if (op == ReduceOp::prod) return mixed < 2 ? 1 : 2;
  if (op == ReduceOp::avg) return ranks * (mixed < 2 ? 1 : 2);
  return is_unsigned(type) ? mixed : mixed - 2;
}

inline double reduced(ReduceOp op, DataType type, int ranks, Count slot) {
  double result = input(op, type, 0, ranks, slot) * (op == ReduceOp::mulsum ? mulsum_scalar(0) : 1);
  for (int rank = 1; rank < ranks; ++rank) {
    const double other = input(op, type, rank, ranks, slot);
    switch (op) {
      case ReduceOp::sum:
      case ReduceOp::avg:
        result += other;
        break;
      case ReduceOp::mulsum:
        result += other * mulsum_scalar(rank);
        break;
      case ReduceOp::prod:
        result *= other;
        break;
      case ReduceOp::max:
        result = std::max(result, other);
        break;
      case ReduceOp::min:
        result = std::min(result, other);
        break;
    }
  }
  return op == ReduceOp::avg ? result / ranks : result;
}

/// What a rank sends where data only moves: bytes that no other rank has in the same slots.
inline Pattern moved_pattern(DataType type, int rank) {
  Pattern pattern;
  pattern.type = type;
  for (std::size_t i = 0; i < pattern.values.size(); ++i) {
    pattern.values[i] =
        static_cast<std::byte>(i * 7 + static_cast<std::size_t>(rank) * 31 + i / 256);
  }
  return pattern;
}

/// What no result is.
inline Pattern stale_pattern(DataType type) { return moved_pattern(type, 100); }

/// Elements in memory of a device; all are stale at first, and some more behind them stay so.
class DeviceNumbers {
 public:
  DeviceNumbers(Device& device, Stream& stream, DataType type, Count count)
      : device_(device),
        stream_(stream),
        type_(type),
        count_(count),
        memory_(device.allocate((count + kBehind) * size_of(type), MemoryKind::device)) {
    fill(0, count + kBehind, stale_pattern(type), 0);
  }

  std::byte* at(Count i) { return memory_->data() + i * size_of(type_); }

  /// Elements first .. of the pattern, from the i-th of these on.
  void fill(Count i, Count count, const Pattern& pattern, Count first) {
    device_.kernels().fill(at(i), count, pattern, first, stream_);
  }

  /// Whether they are there.
  bool has(Count i, Count count, const Pattern& pattern, Count first) {
    return device_.kernels().check(at(i), count, pattern, first, stream_).wrong == 0;
  }
  bool is_stale(Count i, Count count) { return has(i, count, stale_pattern(type_), i); }
  bool ends_untouched() { return is_stale(count_, kBehind); }

 private:
  static constexpr Count kBehind = 16;

  Device& device_;
  Stream& stream_;
  DataType type_;
  Count count_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace collbench
