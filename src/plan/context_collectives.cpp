// SPDX-License-Identifier: Apache-2.0
// Context parallelism by collectives: keys and values gathered, or tokens exchanged for heads.
#include "plan/context_attention.h"

namespace collbench::plan {
namespace {

/// Keys and values of all ranks, the keys first.
class GatheredAttention : public AttentionBase {
 public:
  explicit GatheredAttention(const AttentionSetup& setup)
      : AttentionBase(setup),
        gathered_(slot("gathered keys and values", of_all(sizes().keys_and_values()))),
        partial_(slot("partial attention gradients", of_all(sizes().keys_and_values()))),
        reduced_(slot("attention gradients", sizes().keys_and_values())) {}

  void forward(const std::string& where) override {
    gather(where, keys_and_values());
    attend(where, work_with_all(), {queries(), gathered_}, {output()});
  }

  void backward(const std::string& where, SlotIndex saved, SlotIndex to) override {
    b().hold_communication_until_computed();
    gather(where, saved_keys_and_values());
    find_gradients(where + " gradients", work_with_all(), {output_gradient(), saved, gathered_},
                   {partial_});
    reduce(where + " reduce gradients of keys", sizes().keys, 0);
    reduce(where + " reduce gradients of values", sizes().values, sizes().keys);
    b().compute(where + " own gradients", {}, {reduced_}, {to});
  }

 private:
  Count of_all(Count elements) const { return static_cast<Count>(ranks()) * elements; }

  void gather(const std::string& where, SlotIndex from) const {
    gather(where + " gather keys", from, sizes().keys, 0);
    gather(where + " gather values", from, sizes().values, sizes().keys);
  }

  /// `first`: what lies before them on each rank.
  void gather(const std::string& label, SlotIndex from, Count count, Count first) const {
    communicate(label,
                {at(collective(Collective::all_gather, axis(), type(), count, from, gathered_),
                    first, of_all(first))});
  }

  void reduce(const std::string& label, Count count, Count first) const {
    communicate(
        label,
        {at(collective(Collective::reduce_scatter, axis(), type(), count, partial_, reduced_),
            of_all(first), first)});
  }

  SlotIndex gathered_, partial_, reduced_;
};

/// To what lies on a rank.
class LocalAttention : public AttentionBase {
 public:
  using AttentionBase::AttentionBase;

  void forward(const std::string& where) override {
    attend(where, all(), {queries(), keys_and_values()}, {output()});
  }

  void backward(const std::string& where, SlotIndex saved, SlotIndex to) override {
    find_gradients(where + " gradients", all(), {output_gradient(), saved}, {to});
  }

 private:
  /// All ranks have an equal share of the heads, whichever way tokens were split.
  Count all() const { return static_cast<Count>(ranks()); }
};

/// Ulysses: a rank has as many elements of its tokens' heads as of all tokens' share of heads.
class ExchangedAttention : public AttentionBase {
 public:
  ExchangedAttention(const AttentionSetup& setup, std::unique_ptr<ContextAttention> inside)
      : AttentionBase(setup),
        inside_(std::move(inside)),
        found_(slot("own heads' gradients", sizes().queries + sizes().keys_and_values())),
        gradients_(slot("attention gradients", sizes().queries + sizes().keys_and_values())) {}

  void forward(const std::string& where) override {
    const std::vector<SlotIndex> to = inside_->inputs();
    exchange(where, "queries", {0, sizes().queries}, queries(), to[0]);
    exchange(where, "keys", {0, sizes().keys}, keys_and_values(), to[1]);
    exchange(where, "values", {sizes().keys, sizes().values}, keys_and_values(), to[1]);
    inside_->forward(where);
    exchange(where, "output", {0, sizes().outputs}, inside_->output(), output());
  }

  void backward(const std::string& where, SlotIndex saved, SlotIndex to) override {
    b().hold_communication_until_computed();
    exchange(where, "output gradients", {0, sizes().outputs}, output_gradient(),
             inside_->output_gradient());
    inside_->backward(where, saved, found_);
    Count first = 0;
    const auto next = [&](const char* what, Count count) {
      exchange(where, what, {first, count}, found_, gradients_);
      first += count;
    };
    next("gradients of queries", sizes().queries);
    next("gradients of keys", sizes().keys);
    next("gradients of values", sizes().values);
    b().compute(where + " own gradients", {}, {gradients_}, {to});
  }

 private:
  /// Of the slots on either side.
  struct Part {
    Count first, count;
  };

  void exchange(const std::string& where, const char* what, Part part, SlotIndex from,
                SlotIndex to) const {
    const Count block = part.count / static_cast<Count>(ranks());
    communicate(where + " exchange " + what,
                {at(collective(Collective::alltoall, axis(), type(), block, from, to), part.first,
                    part.first)});
  }

  std::unique_ptr<ContextAttention> inside_;
  SlotIndex found_, gradients_;
};

}  // namespace

std::unique_ptr<ContextAttention> gathered_attention(const AttentionSetup& setup) {
  return std::make_unique<GatheredAttention>(setup);
}

std::unique_ptr<ContextAttention> local_attention(const AttentionSetup& setup) {
  return std::make_unique<LocalAttention>(setup);
}

std::unique_ptr<ContextAttention> exchanged_attention(const AttentionSetup& setup,
                                                      std::unique_ptr<ContextAttention> inside) {
  return std::make_unique<ExchangedAttention>(setup, std::move(inside));
}

}  // namespace collbench::plan
