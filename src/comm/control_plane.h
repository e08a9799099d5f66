// SPDX-License-Identifier: Apache-2.0
// ControlPlane: how the ranks of a run agree. Decisions and measurements go over it, never over the
// communicator under test.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "base/bytes.h"

namespace collbench {

/// All ranks of the run; every method is collective over all of them, called in the same order by
/// each rank's thread. Waiting ranks yield their core, then sleep: they never spin. Throws
/// SystemError.
class ControlPlane {
 public:
  virtual ~ControlPlane() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  virtual void barrier() = 0;

  /// `all` receives `each` bytes from every rank, in rank order.
  virtual void all_gather_bytes(const void* mine, Bytes each, void* all) = 0;

  /// Every rank's `data` becomes rank 0's.
  virtual void broadcast_bytes(void* data, Bytes bytes) = 0;

  /// Every rank's value, by rank.
  template <class T>
  std::vector<T> all_gather(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(size()));
    all_gather_bytes(&mine, sizeof(T), all.data());
    return all;
  }

  /// Rank 0's value.
  template <class T>
  T broadcast(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    broadcast_bytes(&value, sizeof(T));
    return value;
  }

  /// Rank 0's text.
  std::string broadcast_text(std::string text);

  /// Every rank's text, by rank.
  std::vector<std::string> all_gather_text(const std::string& mine);

  /// The largest of all ranks' values.
  template <class T>
  T max(const T& mine) {
    T largest = mine;
    for (const T& value : all_gather(mine)) largest = value > largest ? value : largest;
    return largest;
  }
};

}  // namespace collbench
