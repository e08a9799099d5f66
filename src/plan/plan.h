// SPDX-License-Identifier: Apache-2.0
// Plan: the operations of one training step of every rank, as plain data.
//
// No buffers, no clock, no communication. Whoever prints, counts, predicts, draws, checks or runs a
// step reads this and nothing else.
//
// Ranks whose operations are equal share one list: a RankClass. Peers and roots are positions on an
// axis, never global ranks, so that one list serves all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/data_type.h"
#include "base/reduce_op.h"
#include "model/layout.h"
#include "model/step.h"
#include "traffic/matrix.h"
#include "traffic/traffic.h"

namespace collbench::plan {

using OpIndex = std::uint32_t;    // in the list of a class
using SlotIndex = std::uint32_t;  // in the slots of a class
inline constexpr SlotIndex kNoSlot = UINT32_MAX;
using MatrixIndex = std::uint32_t;  // in the matrices of a plan
inline constexpr MatrixIndex kNoMatrix = UINT32_MAX;
using TableIndex = std::uint32_t;  // in the tables of a plan
inline constexpr TableIndex kNoTable = UINT32_MAX;

enum class Memory : std::uint8_t { device, host };

/// A buffer by name, without memory. Whoever uses it again must come after who used it last.
struct Slot {
  std::string name;
  Bytes bytes = 0;
  Memory memory = Memory::device;
};

enum class MessageKind : std::uint8_t { collective, send, recv };

/// What a rank contributes to one exchange within its group of an axis.
struct Message {
  MessageKind kind = MessageKind::collective;
  Collective collective = Collective::all_reduce;  // of a collective
  model::Axis axis = model::Axis::world;
  bool pair = false;  // over a communicator of this rank and its peer alone, instead of the axis's
  int peer = 0;       // position on the axis; the root of a rooted collective
  DataType type = DataType::float32;
  ReduceOp op = ReduceOp::sum;  // of a collective that reduces
  Count count = 0;              // elements of one block, as in traffic/sizes.h
  /// Of an alltoallv with blocks of different sizes: how many rows each rank has for each, by their
  /// positions on the axis; `count` is the elements of a row.
  MatrixIndex matrix = kNoMatrix;
  /// The buffers of comm/call.h lie in slots, after so many elements. In place: the same slot, the
  /// same element. kNoSlot: of a kind that has no such buffer, or where no rank of a list is root.
  SlotIndex read = kNoSlot, written = kNoSlot;
  Count read_first = 0, written_first = 0;
  /// There the slots hold a buffer for each position on this axis, and a rank uses its own.
  std::optional<model::Axis> own_part_on = {};
};

/// A product of an m x k with a k x n matrix, 2 m n k floating-point operations: what a computation
/// takes, not what it means.
struct Gemm {
  Count m = 0, n = 0, k = 0;
  Count times = 1;  // so many alike, one after the other
};

/// Numbers that a computation must leave in a slot, since what follows depends on them: 64-bit
/// integers from its start on. Of all else that is computed only the size is known.
struct KnownResult {
  SlotIndex slot = kNoSlot;
  TableIndex table = kNoTable;
};

enum class OpKind : std::uint8_t {
  compute,      // `gemms`
  copy,         // `bytes` within the device's memory
  communicate,  // `messages`, one fused group; without any it only takes its turn on its stream
  wait,         // the host issues nothing more until all of `after` are done
};

/// One operation. It starts when everything before it on its stream, and all of `after`, are done.
struct Op {
  OpKind kind = OpKind::compute;
  int stream = 0;              // index into Plan::streams; of no meaning to a wait
  std::vector<OpIndex> after;  // earlier ones of the same list
  std::vector<Message> messages;
  std::vector<Gemm> gemms;
  Bytes bytes = 0;
  std::vector<SlotIndex> reads, writes;  // of compute and copy; messages name their own
  std::optional<KnownResult> known;      // of compute: in one of `writes`
  std::string label;
};

/// Ranks with equal operations: all that have these positions on the axes that tell classes apart.
struct RankClass {
  std::vector<int> positions;  // by Plan::class_axes
  int first_rank = 0;          // the smallest global rank
  int ranks = 1;               // how many
  std::vector<Slot> slots;
  std::vector<Op> ops;  // in the order in which a rank's host thread issues them
};

struct Plan {
  std::string name;   // of the scheme: "zero"
  std::string model;  // "llama3-8b"
  model::Layout layout;
  model::Step step;
  std::vector<std::string> left_out;    // traffic that such a step has and these operations do not
  std::vector<model::Axis> class_axes;  // what tells ranks apart; the first varies fastest
  std::vector<std::string> streams;
  std::vector<traffic::Matrix> matrices;   // that messages name, each once
  std::vector<std::vector<Count>> tables;  // that known results name
  /// Where they are levelled from step to step: by layer, prediction layers last, copies of tokens
  /// that ask for each expert, of one group of ep. A layer without experts has none.
  std::vector<std::vector<std::uint64_t>> expert_loads;
  std::vector<RankClass> classes;  // every combination of positions, in order
};

/// A plan without operations: its classes are the ranks that differ on `class_axes`.
/// Throws UserError for a layout that cannot be.
Plan make_plan(std::string name, const model::Layout& layout, const model::Step& step,
               std::vector<model::Axis> class_axes);

/// The index of the class that a global rank belongs to.
std::size_t class_of(const Plan& plan, int rank);

/// The stream with this name, which is made if it is not there.
int stream_named(Plan& plan, const std::string& name);

/// "pp 3", or "all ranks" of a plan with one class.
std::string name_of(const Plan& plan, const RankClass& ranks);

/// All slots that an operation reads, and all that it writes.
std::vector<SlotIndex> slots_read(const Op& op);
std::vector<SlotIndex> slots_written(const Op& op);

/// The index of an equal matrix, which is added if it is not there.
MatrixIndex matrix_index(std::vector<traffic::Matrix>& all, const traffic::Matrix& matrix);

/// Of each pair of ranks where a matrix's rows are divided evenly, rounded up.
Count even_rows(const traffic::Matrix& matrix);

/// The bytes of a message as its collective's bandwidth counts them: S of traffic/traffic.h. By a
/// matrix that of the busiest rank, whom all wait for.
Bytes message_bytes(const Plan& plan, const Message& message);
/// Of one without a matrix.
Bytes message_bytes(const Message& message, int group_size);

/// What a rank of the class sends to other ranks in a message with a matrix.
Bytes sent_by_matrix(const Plan& plan, const RankClass& ranks, const Message& message);

/// Bytes [first, last) of a slot.
struct ByteRange {
  Bytes first = 0, last = 0;
  bool operator==(const ByteRange&) const = default;
};
constexpr bool overlap(ByteRange a, ByteRange b) { return a.first < b.last && b.first < a.last; }

/// What a rank of the class reads of a message's slot, and writes. In place, one is a part of the
/// other that depends on the rank, and both are the whole. Of a message without such a slot
/// nothing.
ByteRange range_read(const Plan& plan, const RankClass& ranks, const Message& message);
ByteRange range_written(const Plan& plan, const RankClass& ranks, const Message& message);

/// Whether what is sent and what is received lie at one place.
bool is_in_place(const Message& message);

/// 2 m n k, summed.
Count flops(const Op& op);

/// "all_gather", "send".
std::string_view name_of(const Message& message);

}  // namespace collbench::plan
