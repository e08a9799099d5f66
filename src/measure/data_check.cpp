// SPDX-License-Identifier: Apache-2.0
#include "measure/data_check.h"

#include <fmt/format.h>

#include "measure/test_data.h"

namespace collbench {
namespace {

TestDataKey key_of(const Operation& operation, const Setting& setting, std::uint64_t seed) {
  std::optional<ReduceOp> op;
  if (operation.traffic.reduces) op = setting.op;
  return {setting.type, op, setting.ranks, seed};
}

// The operation only reads the send buffer, but in place it lies within the receive buffer.
void fill_send(const Workbench& bench, const Operation& operation, const Setting& setting,
               const Buffers& buffers, const Pattern& pattern) {
  const auto blocks = static_cast<Count>(traffic::blocks(operation.traffic.send, setting.ranks));
  bench.device.kernels().fill(const_cast<void*>(buffers.send), setting.count * blocks, pattern, 0,
                              bench.stream);
}

Pattern pattern_of(const ExpectedBlock& block, const TestDataKey& key) {
  return block.source == Source::rank_data ? rank_data(key, block.rank) : reduced_data(key);
}

// What this rank found; trivially copyable for the control plane.
struct RankOutcome {
  Count checked = 0;
  Count wrong = 0;
  Bytes first_wrong_byte = 0;
  CheckResult first{};
};

RankOutcome check_result(const Workbench& bench, const Operation& operation, const Setting& setting,
                         void* recv, const TestDataKey& key) {
  RankOutcome outcome;
  const Bytes block_bytes = setting.count * size_of(setting.type);
  Bytes offset = 0;
  for (const ExpectedBlock& block : operation.expected(setting)) {
    const CheckResult result =
        bench.device.kernels().check(static_cast<std::byte*>(recv) + offset, setting.count,
                                     pattern_of(block, key), block.first_element, bench.stream);
    if (result.wrong > 0 && outcome.wrong == 0) {
      outcome.first_wrong_byte = offset + result.first_wrong * size_of(setting.type);
      outcome.first = result;
    }
    outcome.checked += setting.count;
    outcome.wrong += result.wrong;
    offset += block_bytes;
  }
  return outcome;
}

CheckOutcome combine(const std::vector<RankOutcome>& ranks, DataType type) {
  CheckOutcome all;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankOutcome& one = ranks[rank];
    all.checked_elements += one.checked;
    if (one.wrong > 0 && all.wrong_elements == 0) {
      all.first_wrong = fmt::format(
          "rank {}, byte {} of the result: expected {}, found {}", rank, one.first_wrong_byte,
          show_value(type, one.first.expected.data()), show_value(type, one.first.found.data()));
    }
    all.wrong_elements += one.wrong;
  }
  return all;
}

}  // namespace

CheckOutcome check_operation(const Workbench& bench, const Operation& operation,
                             const Setting& setting, const Buffers& buffers, std::uint64_t seed) {
  const TestDataKey key = key_of(operation, setting, seed);
  fill_send(bench, operation, setting, buffers, rank_data(key, setting.rank));
  bench.stream.synchronize();
  bench.control.barrier();
  bench.comm.enqueue(operation.calls(setting, buffers), bench.stream);
  bench.stream.synchronize();
  const RankOutcome mine = check_result(bench, operation, setting, buffers.recv, key);
  return combine(bench.control.all_gather(mine), setting.type);
}

}  // namespace collbench
