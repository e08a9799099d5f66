// SPDX-License-Identifier: Apache-2.0
#include "plan/pipeline_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace collbench::plan {
namespace {

using Kind = Action::Kind;

/// A tensor that an action needs from, or owes to, a neighbour.
struct StageMessage {
  bool is_send;
  bool is_gradient;
  int peer;
  Action action;
};

class PipelinePasses {
 public:
  PipelinePasses(const TrafficContext& context, Passes& passes, const PipelineOptions& options)
      : context_(context),
        b_(context.builder),
        passes_(passes),
        options_(options),
        pipeline_{context.layout.pp, context.step.micro_batches, context.layout.vpp},
        stages_(context.layout.pp * context.layout.vpp) {}

  void emit() {
    const std::vector<Turn> all = turns(options_.schedule, pipeline_, context_.pp);
    transfer({}, needs(all.front()), false);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool by_kind =
          options_.schedule == Schedule::interleaved && options_.messages == StageMessages::pairs;
      if (by_kind) {
        run_by_kind(all, i);
      } else {
        run_turn(all, i);
      }
    }
  }

 private:
  void run_turn(const std::vector<Turn>& all, std::size_t i) {
    std::vector<StageMessage> owed;
    for (const Action& action : all[i]) {
      run(action);
      append(owed, output_of(action));
    }
    exchange(all, i, owed);
  }

  /// Activations are exchanged while the backward action of the turn computes, and gradients while
  /// the next forward one does.
  void run_by_kind(const std::vector<Turn>& all, std::size_t i) {
    const auto needed = i + 1 < all.size() ? needs(all[i + 1]) : std::vector<StageMessage>{};
    for (const bool gradients : {false, true}) {
      std::vector<StageMessage> owed, wanted;
      for (const Action& action : all[i]) {
        if ((action.kind != Kind::forward) != gradients) continue;
        run(action);
        append(owed, output_of(action));
      }
      for (const StageMessage& message : needed) {
        if (message.is_gradient == gradients) wanted.push_back(message);
      }
      send_alone(owed, wanted, true);
    }
  }

  // ---- who needs what from whom

  int stage(const Action& action) const {
    return model::stage_of(context_.layout, context_.pp, action.chunk);
  }
  int previous() const { return (context_.pp + pipeline_.ranks - 1) % pipeline_.ranks; }
  int next() const { return (context_.pp + 1) % pipeline_.ranks; }

  std::optional<StageMessage> input_of(const Action& action) const {
    if (action.kind == Kind::weight_gradients) return std::nullopt;
    if (action.kind == Kind::forward) {
      if (stage(action) == 0) return std::nullopt;
      return StageMessage{false, false, previous(), action};
    }
    if (stage(action) == stages_ - 1) return std::nullopt;
    return StageMessage{false, true, next(), action};
  }

  std::optional<StageMessage> output_of(const Action& action) const {
    if (action.kind == Kind::weight_gradients) return std::nullopt;
    if (action.kind == Kind::forward) {
      if (stage(action) == stages_ - 1) return std::nullopt;
      return StageMessage{true, false, next(), action};
    }
    if (stage(action) == 0) return std::nullopt;
    return StageMessage{true, true, previous(), action};
  }

  static void append(std::vector<StageMessage>& all, const std::optional<StageMessage>& one) {
    if (one) all.push_back(*one);
  }

  std::vector<StageMessage> needs(const Turn& turn) const {
    std::vector<StageMessage> all;
    for (const Action& action : turn) append(all, input_of(action));
    return all;
  }

  // ---- computing

  void run(const Action& action) {
    const auto [first, last] = context_.held.chunk_blocks(action.chunk);
    const Pass pass = {action.micro_batch, action.micro_batch == 0,
                       action.micro_batch == pipeline_.micro_batches - 1};
    const SlotIndex in = take_input(action);
    const SlotIndex out = output_of(action) ? output_slot(action) : kNoSlot;
    if (action.kind == Kind::forward) {
      for (std::size_t block = first; block < last; ++block) {
        passes_.forward(block, pass, block == first ? in : passes_.activations(),
                        block + 1 == last && out != kNoSlot ? out : passes_.activations());
      }
      return;
    }
    for (std::size_t block = last; block-- > first;) {
      passes_.backward(block, pass, gradients_of(action.kind),
                       block + 1 == last && in != kNoSlot ? in : passes_.activation_gradients(),
                       block == first && out != kNoSlot ? out : passes_.activation_gradients());
    }
  }

  static Gradients gradients_of(Kind kind) {
    if (kind == Kind::input_gradients) return Gradients::inputs;
    return kind == Kind::weight_gradients ? Gradients::weights : Gradients::both;
  }

  // ---- slots: two of each, which take turns

  Bytes bytes() const {
    return passes_.work().kept_activation() * size_of(context_.step.activations);
  }
  SlotIndex slot(const char* what, bool is_gradient, int& count) {
    return b_.slot(
        fmt::format("{} {} {}", is_gradient ? "gradients" : "activations", what, count++ % 2),
        bytes());
  }

  static std::tuple<bool, int, int> key(const Action& action) {
    return {action.kind != Kind::forward, action.micro_batch, action.chunk};
  }

  SlotIndex take_input(const Action& action) {
    const auto found = inputs_.find(key(action));
    if (action.kind == Kind::weight_gradients || found == inputs_.end()) return kNoSlot;
    const SlotIndex slot = found->second;
    inputs_.erase(found);
    return slot;
  }

  SlotIndex output_slot(const Action& action) {
    const bool is_gradient = action.kind != Kind::forward;
    return outputs_[key(action)] = slot("out", is_gradient, sent_[is_gradient]);
  }

  // ---- messages

  /// What a turn owes, and what the next one needs.
  void exchange(const std::vector<Turn>& all, std::size_t i, std::vector<StageMessage> owed) {
    // Weight gradients need nothing and wait for nobody: messages go before them.
    if (all[i].front().kind == Kind::weight_gradients) return;
    std::size_t next = i + 1;
    while (next < all.size() && all[next].front().kind == Kind::weight_gradients) ++next;
    const auto needed = next < all.size() ? needs(all[next]) : std::vector<StageMessage>{};
    transfer(std::move(owed), needed, is_fused(all, i, next));
  }

  void transfer(std::vector<StageMessage> owed, const std::vector<StageMessage>& needed,
                bool fused) {
    if (options_.messages == StageMessages::pairs) return send_alone(owed, needed, fused);
    if (!fused) {
      send_together(owed);
      send_together(needed);
      return;
    }
    owed.insert(owed.end(), needed.begin(), needed.end());
    send_together(owed);
  }

  bool is_fused(const std::vector<Turn>& all, std::size_t i, std::size_t next) const {
    if (options_.schedule == Schedule::gpipe || next >= all.size()) return false;
    const Action &one = all[i].front(), &other = all[next].front();
    const bool alternates = (one.kind == Kind::forward) != (other.kind == Kind::forward);
    // Where all forward actions are warm-up, neighbours are not in step at the turn.
    if (options_.schedule == Schedule::interleaved) return !alternates || all[i].size() > 1;
    const bool filling = one.kind == Kind::forward &&
                         one.micro_batch < warm_up(options_.schedule, pipeline_, context_.pp);
    return alternates && !filling;
  }

  void send_together(const std::vector<StageMessage>& messages) {
    if (messages.empty()) return;
    std::vector<Message> group;
    std::string label;
    for (const StageMessage& message : messages) {
      group.push_back(to_message(message));
      label += (label.empty() ? "" : ", ") + label_of(message);
    }
    b_.hold_communication_until_computed();
    const auto op = b_.communicate("pp", label, group);
    // Zero-bubble schedules go on with what is there.
    if (options_.schedule != Schedule::zb_h1) b_.hold_compute_until(op);
  }

  /// Where neighbours exchange at the same time one of them must receive first.
  void send_alone(const std::vector<StageMessage>& owed, const std::vector<StageMessage>& needed,
                  bool at_once) {
    std::vector<StageMessage> order = owed;
    const bool sends_first = !at_once || context_.pp % 2 == 0;
    order.insert(sends_first ? order.end() : order.begin(), needed.begin(), needed.end());
    for (const StageMessage& message : order) {
      Message single = to_message(message);
      // Between two ranks a wrap-around is a second channel of the same direction, so gradients
      // take the communicator of the whole axis there.
      single.pair = pipeline_.ranks > 2 || !message.is_gradient;
      const std::string stream =
          single.pair ? fmt::format("pp pair {}", message.peer) : std::string("pp");
      b_.hold_communication_until_computed();
      b_.communicate(stream, label_of(message), {single});
    }
  }

  Message to_message(const StageMessage& message) {
    const Count count = passes_.work().kept_activation();
    const DataType type = context_.step.activations;
    if (message.is_send) {
      return send(model::Axis::pp, message.peer, type, count, outputs_.at(key(message.action)));
    }
    const SlotIndex into = slot("in", message.is_gradient, received_[message.is_gradient]);
    inputs_[key(message.action)] = into;
    return recv(model::Axis::pp, message.peer, type, count, into);
  }

  std::string label_of(const StageMessage& message) const {
    const Action& action = message.action;
    return fmt::format("{} {}{}{}", message.is_send ? "send" : "recv",
                       message.is_gradient ? 'B' : 'F', action.micro_batch,
                       pipeline_.chunks > 1 ? fmt::format(" chunk {}", action.chunk) : "");
  }

  TrafficContext context_;
  Builder& b_;
  Passes& passes_;
  PipelineOptions options_;
  Pipeline pipeline_;
  int stages_;
  std::map<std::tuple<bool, int, int>, SlotIndex> inputs_, outputs_;
  std::array<int, 2> sent_{}, received_{};  // by whether they are gradients
};

}  // namespace

void pipeline_parallel(const TrafficContext& context, Passes& passes,
                       const PipelineOptions& options) {
  PipelinePasses(context, passes, options).emit();
}

}  // namespace collbench::plan
