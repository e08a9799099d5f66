// SPDX-License-Identifier: Apache-2.0
// Rings of context parallelism: keys and values go round, and attention to those that are there
// hides the way of the next.
#include <fmt/format.h>

#include <array>

#include "plan/context_attention.h"

namespace collbench::plan {
namespace {

/// A part of a slot that is a message of its own.
struct Part {
  Count first = 0, count = 0;
};
using Parts = std::vector<Part>;

/// The forward pass; its messages have `parts`.
class Ring : public AttentionBase {
 public:
  Ring(const AttentionSetup& setup, Parts parts)
      : AttentionBase(setup),
        parts_(std::move(parts)),
        arriving_{slot("arriving keys and values 0", sizes().keys_and_values()),
                  slot("arriving keys and values 1", sizes().keys_and_values())},
        partial_(slot("partial attention gradients", sizes().keys_and_values())) {}

  void forward(const std::string& where) override {
    std::optional<OpIndex> hop;
    SlotIndex here = keys_and_values();
    for (int step = 0; step < ranks(); ++step) {
      const SlotIndex next = pass_on(where, step, here, hop);
      attend(fmt::format("{} step {}", where, step), work_with(neighbour(-step)), {queries(), here},
             {output()});
      here = next;
    }
    // Who has nothing to do with the last ones waits for them all the same.
    if (work_with(neighbour(1)) == 0) b().hold_compute_until(hop);
  }

 protected:
  /// The keys and values that a rank has in this step go to the next one, and others come; in the
  /// last step none do.
  SlotIndex pass_on(const std::string& where, int step, SlotIndex here,
                    std::optional<OpIndex>& hop) const {
    if (step + 1 == ranks()) return here;
    const SlotIndex next = arriving_[static_cast<std::size_t>(step % 2)];
    hop = exchange(fmt::format("{} pass on keys and values {}", where, step), parts_, 1, type(),
                   here, next);
    return next;
  }

  /// Each part to the rank that is so many `steps` further on, and from the one on the other side.
  std::optional<OpIndex> exchange(const std::string& label, const Parts& parts, int steps,
                                  DataType type, SlotIndex from, SlotIndex to) const {
    std::vector<Message> messages;
    for (const auto& [first, count] : parts) {
      messages.push_back(at(send(axis(), neighbour(steps), type, count, from), first, 0));
      messages.push_back(at(recv(axis(), neighbour(-steps), type, count, to), 0, first));
    }
    return communicate(label, std::move(messages));
  }

  /// Of what is `here`, the keys and values of `owner`. Returns where they are; nowhere if there
  /// was no work.
  std::vector<SlotIndex> partial_gradients(const std::string& where, int step, int owner,
                                           SlotIndex saved, SlotIndex here) const {
    const Count work = work_with(owner);
    find_gradients(fmt::format("{} step {} gradients", where, step), work,
                   {output_gradient(), saved, here}, {partial_});
    return work == 0 ? std::vector<SlotIndex>{} : std::vector{partial_};
  }

  void add(const std::string& label, std::vector<SlotIndex> reads, SlotIndex to) const {
    b().compute(label, {}, std::move(reads), {to});
  }

  const Parts& parts() const { return parts_; }

 private:
  Parts parts_;
  std::array<SlotIndex, 2> arriving_;
  SlotIndex partial_;
};

/// TransformerEngine's. Backward, what is passed on is keys and values, then their gradients, to
/// the previous rank: it starts with the next rank's, and ends with the own ones at home.
class JoinedRing : public Ring {
 public:
  explicit JoinedRing(const AttentionSetup& setup)
      : Ring(setup, {{0, setup.sizes.keys_and_values()}}),
        passing_{slot("keys and values and gradients 0", 2 * sizes().keys_and_values()),
                 slot("keys and values and gradients 1", 2 * sizes().keys_and_values())} {}

  void backward(const std::string& where, SlotIndex saved, SlotIndex to) override {
    b().hold_communication_until_computed();
    SlotIndex here = saved_keys_and_values();
    for (int step = 0; step < ranks(); ++step) {
      const bool last = step + 1 == ranks();
      const SlotIndex next = passing_[static_cast<std::size_t>(step % 2)];
      exchange(fmt::format("{} pass on gradients {}", where, step), {passed_on(step)}, -1, type(),
               here, next);
      std::vector<SlotIndex> terms =
          partial_gradients(where, step, neighbour(1 + step), saved, here);
      terms.push_back(next);
      add(fmt::format("{} add gradients {}", where, step), terms, last ? to : next);
      here = next;
    }
  }

 private:
  /// The first step has no gradients yet, and after the last one nobody needs keys and values.
  Part passed_on(int step) const {
    const Count each = sizes().keys_and_values();
    if (step == 0) return {0, each};
    return step + 1 == ranks() ? Part{each, each} : Part{0, 2 * each};
  }

  std::array<SlotIndex, 2> passing_;
};

/// That of ring-flash-attention. Backward keys and values go round as they did forward, and their
/// gradients follow, in float, until they are at home.
class FloatRing : public Ring {
 public:
  explicit FloatRing(const AttentionSetup& setup)
      : Ring(setup, {{0, setup.sizes.keys}, {setup.sizes.keys, setup.sizes.values}}),
        sum_(slot("float gradients", sizes().keys_and_values(), DataType::float32)),
        arriving_sum_(
            slot("arriving float gradients", sizes().keys_and_values(), DataType::float32)) {}

  void backward(const std::string& where, SlotIndex saved, SlotIndex to) override {
    b().hold_communication_until_computed();
    std::optional<OpIndex> hop;
    SlotIndex here = saved_keys_and_values();
    for (int step = 0; step < ranks(); ++step) {
      const SlotIndex next = pass_on(where, step, here, hop);
      std::vector<SlotIndex> terms = partial_gradients(where, step, neighbour(-step), saved, here);
      if (step > 0) terms.push_back(arriving_sum_);
      add(fmt::format("{} add gradients {}", where, step), terms, sum_);
      exchange(fmt::format("{} pass on gradients {}", where, step), parts(), 1, DataType::float32,
               sum_, arriving_sum_);
      here = next;
    }
    add(where + " own gradients", {arriving_sum_}, to);
  }

 private:
  SlotIndex sum_, arriving_sum_;
};

}  // namespace

std::unique_ptr<ContextAttention> ring_attention(const AttentionSetup& setup) {
  return std::make_unique<JoinedRing>(setup);
}

std::unique_ptr<ContextAttention> float_ring_attention(const AttentionSetup& setup) {
  return std::make_unique<FloatRing>(setup);
}

}  // namespace collbench::plan
