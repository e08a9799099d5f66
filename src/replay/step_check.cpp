// SPDX-License-Identifier: Apache-2.0
#include "replay/step_check.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "measure/test_data.h"
#include "replay/contents.h"

namespace collbench::replay {
namespace {

// What one rank found; sent to all as bytes.
struct RankOutcome {
  Count checked = 0;
  Count wrong = 0;
  std::array<char, 200> first_wrong{};
};

// In place of computing.
class FillAndCheck final : public Computation {
 public:
  explicit FillAndCheck(const CheckedRank& mine, std::uint64_t seed)
      : stage_(mine.stage),
        ranks_(mine.plan.classes[plan::class_of(mine.plan, mine.stage.rank)]),
        contents_(contents(mine.plan, mine.stage.rank, seed)) {}

  const plan::RankClass& ranks() const { return ranks_; }

  void begin() {
    for (const SlotContent& content : contents_.at_start) fill(content, last_stream());
    last_stream().synchronize();
  }

  void enqueue(plan::OpIndex index, const plan::Op& op, Stream& stream) override {
    for (const SlotContent& c : contents_.ops.at(index).check) check(c, op.label, stream);
    for (const SlotContent& c : contents_.ops[index].fill) fill(c, stream);
  }

  RankOutcome end() {
    for (const SlotContent& content : contents_.at_end) check(content, kEnd, last_stream());
    last_stream().synchronize();
    return outcome();
  }

 private:
  struct Checked {
    const std::string* where;  // label of the operation
    plan::SlotIndex slot;
    Bytes offset;  // in the slot
    DataType type;
    Count count;
  };

  Stream& last_stream() { return *stage_.streams.back(); }

  void fill(const SlotContent& content, Stream& stream) {
    for (const Piece& piece : content.pieces) {
      stage_.device.kernels().fill(stage_.memory.at(content.slot) + piece.at, piece.count,
                                   *piece.pattern, piece.first, stream);
    }
  }

  void check(const SlotContent& content, const std::string& where, Stream& stream) {
    for (const Piece& piece : content.pieces) {
      stage_.device.kernels().check_later(stage_.memory.at(content.slot) + piece.at, piece.count,
                                          *piece.pattern, piece.first, stream);
      checked_.push_back({&where, content.slot, piece.at, piece.pattern->type, piece.count});
    }
  }

  RankOutcome outcome() {
    const std::vector<CheckResult> results = stage_.device.kernels().later_checks();
    if (results.size() != checked_.size()) {
      throw std::logic_error(
          fmt::format("{} checks have {} outcomes", checked_.size(), results.size()));
    }
    RankOutcome outcome;
    for (std::size_t i = 0; i < results.size(); ++i) {
      outcome.checked += checked_[i].count;
      if (results[i].wrong > 0 && outcome.wrong == 0) describe(checked_[i], results[i], outcome);
      outcome.wrong += results[i].wrong;
    }
    return outcome;
  }

  void describe(const Checked& checked, const CheckResult& result, RankOutcome& outcome) const {
    const std::string text =
        fmt::format("byte {} of '{}' in '{}': expected {}, found {}",
                    checked.offset + result.first_wrong * size_of(checked.type),
                    ranks_.slots[checked.slot].name, *checked.where,
                    show_value(checked.type, result.expected.data()),
                    show_value(checked.type, result.found.data()));
    text.copy(outcome.first_wrong.data(), outcome.first_wrong.size() - 1);
  }

  inline static const std::string kEnd{"the end of the step"};

  const Stage& stage_;
  const plan::RankClass& ranks_;
  const StepContents contents_;
  std::vector<Checked> checked_;  // in the order of their outcomes
};

CheckOutcome combine(const std::vector<RankOutcome>& ranks) {
  CheckOutcome all;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    all.checked_elements += ranks[rank].checked;
    if (ranks[rank].wrong > 0 && all.wrong_elements == 0) {
      all.first_wrong = fmt::format("rank {}, {}", rank, ranks[rank].first_wrong.data());
    }
    all.wrong_elements += ranks[rank].wrong;
  }
  return all;
}

}  // namespace

CheckOutcome check_step(const StepBench& bench, const CheckedRank* mine, std::uint64_t seed,
                        double limit_s) {
  RankOutcome outcome;
  // Following every rank's data takes as long as the plan is; a rank that has none waits as long.
  bench.progress.enter("data of the check", limit_s);
  if (mine == nullptr) {
    time_step(bench, {"step, data check"}, limit_s);
  } else {
    FillAndCheck work(*mine, seed);
    Executor executor(mine->stage, work.ranks());
    work.begin();
    time_step(bench, {"step, data check", &executor, &work}, limit_s);
    outcome = work.end();
  }
  return combine(bench.control.all_gather(outcome));
}

}  // namespace collbench::replay
