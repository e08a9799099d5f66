// SPDX-License-Identifier: Apache-2.0
#include "measure/data_check.h"

#include <fmt/format.h>

#include <numeric>

#include "measure/test_data.h"
#include "traffic/sizes.h"

namespace collbench {
namespace {

TestDataKey key_of(const Operation& operation, const Setting& setting, std::uint64_t seed) {
  std::optional<ReduceOp> op;
  if (operation.traffic.reduces) op = setting.op;
  return {setting.type, op, setting.ranks, seed};
}

// What this rank found; trivially copyable for the control plane.
struct RankOutcome {
  Count checked = 0;
  Count wrong = 0;
  Bytes first_wrong_byte = 0;
  bool untouched = false;  // the first wrong element is one that nobody was to write
  CheckResult first{};
};

// One check on this rank.
class RankCheck {
 public:
  RankCheck(const Workbench& bench, const Operation& operation, const Setting& setting,
            const Buffers& buffers, const TestDataKey& key)
      : bench_(bench), operation_(operation), setting_(setting), buffers_(buffers), key_(key) {
    std::byte* next = static_cast<std::byte*>(buffers.recv);
    for (const ExpectedBlock& block : operation.expected(setting)) {
      blocks_.push_back({block, next, block.count.value_or(setting.count)});
      next += blocks_.back().count * size_of(setting.type);
    }
  }

  // First the result, with what it must not be afterwards, or must still be where the operation
  // must not write: what lay there might be right by chance. Then the send buffer, which in place
  // lies within the receive buffer; the operation only reads it.
  void fill() const {
    Kernels& kernels = bench_.device.kernels();
    for (const PlacedBlock& b : blocks_) {
      kernels.fill(b.data, b.count, before(), b.block.first_element, bench_.stream);
    }
    kernels.fill(const_cast<void*>(buffers_.send), send_elements(), rank_data(key_, setting_.rank),
                 0, bench_.stream);
    bench_.stream.synchronize();
  }

  void run() const {
    for (const std::vector<Call>& group : operation_.calls(setting_, buffers_)) {
      bench_.comm.enqueue(group, bench_.stream);
    }
    bench_.stream.synchronize();
  }

  RankOutcome compare() const {
    RankOutcome outcome;
    for (const PlacedBlock& b : blocks_) {
      const CheckResult result = bench_.device.kernels().check(
          b.data, b.count, expected(b), b.block.first_element, bench_.stream);
      if (result.wrong > 0 && outcome.wrong == 0) {
        outcome.first_wrong_byte =
            static_cast<Bytes>(b.data - static_cast<const std::byte*>(buffers_.recv)) +
            result.first_wrong * size_of(setting_.type);
        outcome.untouched = b.is_untouched();
        outcome.first = result;
      }
      outcome.checked += b.count;
      outcome.wrong += result.wrong;
    }
    return outcome;
  }

 private:
  // An expected block where it lies in the receive buffer.
  struct PlacedBlock {
    ExpectedBlock block;
    std::byte* data;
    Count count;

    bool is_untouched() const { return block.source == Source::untouched; }
  };

  Pattern expected(const PlacedBlock& b) const {
    switch (b.block.source) {
      case Source::rank_data:
        return rank_data(key_, b.block.rank);
      case Source::reduction_of_all:
        return reduced_data(key_);
      case Source::untouched:
        break;
    }
    if (b.data == buffers_.send) return rank_data(key_, setting_.rank);  // in place: its own block
    return before();
  }

  Pattern before() const {
    return rank_data({key_.type, std::nullopt, 1, ~key_.seed}, setting_.rank);
  }

  // How much of the send buffer this rank may read.
  Count send_elements() const {
    const traffic::Traffic& traffic = operation_.traffic;
    if (!traffic.by_matrix) {
      return setting_.count * static_cast<Count>(traffic::blocks(traffic.send, setting_.ranks));
    }
    const std::vector<Count>& counts = setting_.exchange->mine.send;
    return std::accumulate(counts.begin(), counts.end(), Count{0});
  }

  const Workbench& bench_;
  const Operation& operation_;
  const Setting& setting_;
  const Buffers& buffers_;
  const TestDataKey& key_;
  std::vector<PlacedBlock> blocks_;
};

// The outcome of some of the ranks.
CheckOutcome combine(const std::vector<RankOutcome>& ranks, const std::vector<int>& group,
                     DataType type) {
  CheckOutcome all;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const RankOutcome& one = ranks[static_cast<std::size_t>(group[i])];
    all.checked_elements += one.checked;
    if (one.wrong > 0 && all.wrong_elements == 0) {
      all.first_wrong = fmt::format(
          "rank {}{}, byte {} of {}: expected {}, found {}", group[i],
          group.size() == ranks.size() ? "" : fmt::format(" ({} of its group)", i),
          one.first_wrong_byte, one.untouched ? "what the rank must leave alone" : "the result",
          show_value(type, one.first.expected.data()), show_value(type, one.first.found.data()));
    }
    all.wrong_elements += one.wrong;
  }
  return all;
}

}  // namespace

std::vector<CheckOutcome> check_operation(const Workbench& bench, const RanksOfGroups& groups,
                                          const Operation& operation, const Setting& setting,
                                          const Buffers& buffers, std::uint64_t seed) {
  const TestDataKey key = key_of(operation, setting, seed);
  const RankCheck check(bench, operation, setting, buffers, key);
  check.fill();
  bench.control.barrier();
  check.run();
  const std::vector<RankOutcome> ranks = bench.control.all_gather(check.compare());
  std::vector<CheckOutcome> outcomes;
  for (const std::vector<int>& group : groups) {
    outcomes.push_back(combine(ranks, group, setting.type));
  }
  return outcomes;
}

}  // namespace collbench
