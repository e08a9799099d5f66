// SPDX-License-Identifier: Apache-2.0
// What tests of the host backend share: a rank with its objects, the modes, buffers of numbers.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/element.h"
#include "comm/mpi/host_backend.h"
#include "comm/mpi/large_count.h"
#include "comm/mpi/mpi_test_session.h"

namespace collbench {

/// A use of the device for each of the engine's modes.
struct TestMode {
  const char* name;
  DeviceUse use;
  CallLimits limits = library_limits();
};

inline const std::vector<TestMode>& test_modes() {
  static const std::vector<TestMode> modes = {
      {"blocking", {true, WaitPolicy::spin}},
      {"direct", {true, WaitPolicy::yield}},
      {"queued", {false, WaitPolicy::yield}},
  };
  return modes;
}

/// The same modes as if MPI could not do more than 400 elements in one call.
inline std::vector<TestMode> test_modes_in_pieces() {
  std::vector<TestMode> modes = test_modes();
  for (TestMode& mode : modes) {
    mode.limits = {.count = 400, .sum = 4000, .nonblocking_sum = 4000, .piece_bytes = 1600};
  }
  return modes;
}

/// A rank of the run with one stream.
struct TestRank {
  explicit TestRank(const DeviceUse& use) : TestRank(TestMode{"", use}) {}
  explicit TestRank(const TestMode& mode)
      : backend(make_host_backend(test_session(), mode.limits)),
        device(backend->make_device(mode.use)),
        comm(backend->make_communicator(*device)),
        stream(device->make_stream()),
        rank(comm->rank()),
        size(comm->size()) {}

  std::unique_ptr<Backend> backend;
  std::unique_ptr<Device> device;
  std::unique_ptr<Communicator> comm;
  std::unique_ptr<Stream> stream;
  int rank;
  int size;
};

using Values = std::vector<std::int32_t>;

inline Call sum(Values& send, Values& recv) {
  return all_reduce({send.data(), recv.data()}, send.size(), DataType::int32, ReduceOp::sum);
}

/// Elements of a type, one element off any larger alignment, between guards that must stay.
class Numbers {
 public:
  Numbers(DataType type, Count count) : type_(type), bytes_((count + 2) * size_of(type), kGuard) {}

  Count count() const { return bytes_.size() / size_of(type_) - 2; }
  std::byte* at(Count i) { return bytes_.data() + (i + 1) * size_of(type_); }

  void set(Count i, double value) {
    visit_element_type(type_, [&](auto element) {
      using T = typename decltype(element)::type;
      if constexpr (kIsInteger<T>) {
        write(i, static_cast<T>(static_cast<std::int64_t>(value)));
      } else {
        write(i, from_double<T>(value));
      }
    });
  }

  bool guards_stand() {
    for (Bytes i = 0; i < size_of(type_); ++i) {
      if (bytes_[i] != kGuard || at(count())[i] != kGuard) return false;
    }
    return true;
  }

  /// Whether both hold the same bits in `count` elements from these on.
  bool equals(Count i, Numbers& other, Count j, Count count) {
    return std::memcmp(at(i), other.at(j), count * size_of(type_)) == 0;
  }

 private:
  static constexpr std::byte kGuard{0xa5};

  template <class T>
  void write(Count i, T value) {
    std::memcpy(at(i), &value, sizeof value);
  }

  DataType type_;
  std::vector<std::byte> bytes_;
};

}  // namespace collbench
