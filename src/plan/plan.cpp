// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "traffic/sizes.h"

namespace collbench::plan {
namespace {

// Asking for each rank's position once beats asking for each class which ranks it has.
void count_ranks(Plan& plan) {
  for (RankClass& ranks : plan.classes) ranks.ranks = 0;
  for (int rank = 0; rank < model::ranks(plan.layout); ++rank) {
    RankClass& ranks = plan.classes[class_of(plan, rank)];
    if (ranks.ranks++ == 0) ranks.first_rank = rank;
  }
}

Count elements(const Plan& plan, const Message& message, traffic::Blocks blocks) {
  return message.count *
         static_cast<Count>(traffic::blocks(blocks, model::size_of(plan.layout, message.axis)));
}

int position_of(const Plan& plan, const RankClass& ranks, const Message& message) {
  return model::position(plan.layout, message.axis, ranks.first_rank);
}

Count sent_elements(const Plan& plan, const RankClass& ranks, const Message& message) {
  if (message.kind != MessageKind::collective) return message.count;
  if (message.matrix != kNoMatrix) {
    return message.count * plan.matrices[message.matrix].sent_by(position_of(plan, ranks, message));
  }
  return elements(plan, message, traffic::row_of(message.collective).send);
}

Count received_elements(const Plan& plan, const RankClass& ranks, const Message& message) {
  if (message.kind != MessageKind::collective) return message.count;
  if (message.matrix != kNoMatrix) {
    return message.count *
           plan.matrices[message.matrix].received_by(position_of(plan, ranks, message));
  }
  return elements(plan, message, traffic::row_of(message.collective).recv);
}

/// Of one or the other, and in place of the larger.
ByteRange range(const Plan& plan, const RankClass& ranks, const Message& message, Count first,
                Count buffer) {
  if (is_in_place(message)) {
    buffer = std::max(sent_elements(plan, ranks, message), received_elements(plan, ranks, message));
  }
  const int buffers = message.own_part_on ? model::size_of(plan.layout, *message.own_part_on) : 1;
  const Bytes element = size_of(message.type);
  return {first * element, (first + buffer * static_cast<Count>(buffers)) * element};
}

}  // namespace

Plan make_plan(std::string name, const model::Layout& layout, const model::Step& step,
               std::vector<model::Axis> class_axes) {
  Plan plan;
  plan.name = std::move(name);
  plan.layout = layout;
  plan.step = step;
  plan.class_axes = std::move(class_axes);
  plan.classes.resize(1);
  for (const model::Axis axis : plan.class_axes) {
    std::vector<RankClass> all;
    for (int position = 0; position < model::size_of(layout, axis); ++position) {
      for (RankClass ranks : plan.classes) {
        ranks.positions.push_back(position);
        all.push_back(std::move(ranks));
      }
    }
    plan.classes = std::move(all);
  }
  count_ranks(plan);
  return plan;
}

std::size_t class_of(const Plan& plan, int rank) {
  std::size_t index = 0, stride = 1;
  for (const model::Axis axis : plan.class_axes) {
    index += stride * static_cast<std::size_t>(model::position(plan.layout, axis, rank));
    stride *= static_cast<std::size_t>(model::size_of(plan.layout, axis));
  }
  return index;
}

int stream_named(Plan& plan, const std::string& name) {
  const auto found = std::find(plan.streams.begin(), plan.streams.end(), name);
  const auto index = found - plan.streams.begin();
  if (found == plan.streams.end()) plan.streams.push_back(name);
  return static_cast<int>(index);
}

MatrixIndex matrix_index(std::vector<traffic::Matrix>& all, const traffic::Matrix& matrix) {
  const auto found = std::find(all.begin(), all.end(), matrix);
  const auto index = found - all.begin();
  if (found == all.end()) all.push_back(matrix);
  return static_cast<MatrixIndex>(index);
}

std::string name_of(const Plan& plan, const RankClass& ranks) {
  std::string name;
  for (std::size_t i = 0; i < ranks.positions.size(); ++i) {
    if (model::size_of(plan.layout, plan.class_axes[i]) == 1) continue;
    if (!name.empty()) name += ' ';
    name += fmt::format("{} {}", model::name_of(plan.class_axes[i]), ranks.positions[i]);
  }
  return name.empty() ? "all ranks" : name;
}

std::vector<SlotIndex> slots_read(const Op& op) {
  std::vector<SlotIndex> slots = op.reads;
  for (const Message& message : op.messages) {
    if (message.read != kNoSlot) slots.push_back(message.read);
  }
  return slots;
}

std::vector<SlotIndex> slots_written(const Op& op) {
  std::vector<SlotIndex> slots = op.writes;
  for (const Message& message : op.messages) {
    if (message.written != kNoSlot) slots.push_back(message.written);
  }
  return slots;
}

Bytes message_bytes(const Message& message, int group_size) {
  if (message.kind != MessageKind::collective) return message.count * size_of(message.type);
  return traffic::message_bytes(traffic::row_of(message.collective), message.count, message.type,
                                group_size);
}

Count even_rows(const traffic::Matrix& matrix) {
  Count sum = 0;
  for (int rank = 0; rank < matrix.ranks(); ++rank) sum += matrix.sent_by(rank);
  const auto pairs = static_cast<Count>(matrix.ranks()) * static_cast<Count>(matrix.ranks());
  return (sum + pairs - 1) / pairs;
}

Bytes message_bytes(const Plan& plan, const Message& message) {
  if (message.matrix != kNoMatrix) {
    return plan.matrices[message.matrix].largest_sum() * message.count * size_of(message.type);
  }
  return message_bytes(message, model::size_of(plan.layout, message.axis));
}

Bytes sent_by_matrix(const Plan& plan, const RankClass& ranks, const Message& message) {
  const traffic::Matrix& matrix = plan.matrices[message.matrix];
  const int own = position_of(plan, ranks, message);
  return (matrix.sent_by(own) - matrix.at(own, own)) * message.count * size_of(message.type);
}

ByteRange range_read(const Plan& plan, const RankClass& ranks, const Message& message) {
  if (message.read == kNoSlot) return {};
  return range(plan, ranks, message, message.read_first, sent_elements(plan, ranks, message));
}

ByteRange range_written(const Plan& plan, const RankClass& ranks, const Message& message) {
  if (message.written == kNoSlot) return {};
  return range(plan, ranks, message, message.written_first,
               received_elements(plan, ranks, message));
}

bool is_in_place(const Message& message) {
  return message.read != kNoSlot && message.read == message.written &&
         message.read_first == message.written_first;
}

Count flops(const Op& op) {
  Count sum = 0;
  for (const Gemm& gemm : op.gemms) sum += 2 * gemm.m * gemm.n * gemm.k * gemm.times;
  return sum;
}

std::string_view name_of(const Message& message) {
  if (message.kind == MessageKind::send) return "send";
  if (message.kind == MessageKind::recv) return "recv";
  return traffic::row_of(message.collective).name;
}

}  // namespace collbench::plan
