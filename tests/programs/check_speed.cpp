// SPDX-License-Identifier: Apache-2.0
// How fast a GPU checks data, and how fast it copies within its memory, for tests/gpu_check.py.
//
// Usage: check_speed BYTES     the size of a buffer; a check and a copy pass over it in turns
// Prints one JSON object. A check reads each byte once; a copy reads and writes it, and counts
// both. Status: 0 done, 1 the check found wrong elements, or none where there is one, 2 no GPU.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/version.h"
#include "comm/backend.h"
#include "comm/plugin.h"
#include "comm/rank_team.h"
#include "comm/test_one_process.h"
#include "statistics/statistics.h"

namespace {

using namespace collbench;  // NOLINT: a test program

constexpr int kSamples = 11;
constexpr int kPassesPerSample = 5;

struct Buffers {
  Device& device;
  Stream& stream;
  Pattern pattern;
  Bytes bytes;
  std::unique_ptr<Memory> checked = device.allocate(bytes, MemoryKind::device);
  std::unique_ptr<Memory> copied = device.allocate(bytes, MemoryKind::device);

  void check() { device.kernels().check_later(checked->data(), bytes / 4, pattern, 0, stream); }
  void copy() { device.kernels().copy(copied->data(), checked->data(), bytes, stream); }
};

/// Seconds of one pass.
template <class Pass>
double time_s(Buffers& buffers, const Pass& pass) {
  const double start_s = buffers.device.now_s();
  for (int i = 0; i < kPassesPerSample; ++i) pass();
  buffers.stream.synchronize();
  return (buffers.device.now_s() - start_s) / kPassesPerSample;
}

Count wrong_elements(Device& device) {
  Count wrong = 0;
  for (const CheckResult& result : device.kernels().later_checks()) wrong += result.wrong;
  return wrong;
}

struct Times {
  std::vector<double> check_s;
  std::vector<double> copy_s;
  Count wrong = 0;
};

Times measure(Buffers& buffers) {
  Times times;
  for (int sample = -1; sample < kSamples; ++sample) {  // the first one warms up
    const double check_s = time_s(buffers, [&] { buffers.check(); });
    const double copy_s = time_s(buffers, [&] { buffers.copy(); });
    times.wrong += wrong_elements(buffers.device);
    if (sample < 0) continue;
    times.check_s.push_back(check_s);
    times.copy_s.push_back(copy_s);
  }
  return times;
}

/// Whether a check that is as fast as this finds what is wrong: the last element.
bool finds_a_wrong_element(Buffers& buffers) {
  std::byte* const last = buffers.checked->data() + buffers.bytes - 4;
  buffers.device.kernels().zero(last, 4, buffers.stream);
  buffers.check();
  buffers.stream.synchronize();
  return wrong_elements(buffers.device) == 1;
}

Pattern pattern_without_zeros() {
  Pattern pattern;
  pattern.type = DataType::float32;
  for (std::size_t i = 0; i < pattern.values.size(); ++i) {
    pattern.values[i] = static_cast<std::byte>(1 + i % 251);
  }
  return pattern;
}

int run_on(Device& device, Bytes bytes) {
  const std::unique_ptr<Stream> stream = device.make_stream();
  Buffers buffers{device, *stream, pattern_without_zeros(), bytes};
  device.kernels().fill(buffers.checked->data(), bytes / 4, buffers.pattern, 0, *stream);
  const Times times = measure(buffers);
  const bool finds = finds_a_wrong_element(buffers);
  fmt::print(
      "{{\"buffer_bytes\": {}, \"samples\": {}, \"check_us\": {:.3f}, \"copy_us\": {:.3f}, "
      "\"wrong_elements\": {}, \"finds_a_wrong_element\": {}}}\n",
      bytes, kSamples, statistics::median(times.check_s) * 1e6,
      statistics::median(times.copy_s) * 1e6, times.wrong, finds);
  return times.wrong == 0 && finds ? 0 : 1;
}

int run(Bytes bytes) {
  const Plugin plugin = load_plugin(
      {program_path().parent_path().parent_path() / "libcollbench_nccl.so"}, build_id());
  if (plugin.make_process == nullptr) {
    fmt::print(stderr, "check_speed: {}\n", plugin.reason);
    return 2;
  }
  const std::unique_ptr<BackendProcess> process = plugin.make_process();
  OneProcess alone;
  RankTeam team(alone, 1);
  const std::unique_ptr<Backend> backend = process->make_backend({team.control_plane(0), 0, 1});
  return run_on(*backend->make_device({}), bytes);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string bytes = argc == 2 ? argv[1] : "";
  if (bytes.empty() || bytes.find_first_not_of("0123456789") != std::string::npos) {
    fmt::print(stderr, "check_speed: give the bytes of a buffer\n");
    return 2;
  }
  try {
    return run(std::max<Bytes>(4, std::stoull(bytes) / 4 * 4));
  } catch (const std::exception& error) {
    fmt::print(stderr, "check_speed: {}\n", error.what());
    return 3;
  }
}
