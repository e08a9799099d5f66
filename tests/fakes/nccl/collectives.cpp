// SPDX-License-Identifier: Apache-2.0
// Collectives, staged through one slot per rank: publish, barrier, consume, barrier. What is
// written has been published before, so in place is safe by construction.
#include <algorithm>
#include <cstring>
#include <string>

#include "errors.h"
#include "fake_cuda.h"
#include "operation.h"
#include "reduction.h"
#include "settings.h"
#include "waiting.h"

namespace fakenccl {
namespace {

bool sends(const Communicator& comm, const Operation& op) {
  return !facts(op.kind).only_root_sends || op.root == comm.rank();
}

bool receives(const Communicator& comm, const Operation& op) {
  return !facts(op.kind).only_root_receives || op.root == comm.rank();
}

/// Elements [begin, begin + count) of each block, and where they lie in a slot.
struct Piece {
  std::size_t begin;
  std::size_t count;
  std::size_t part_bytes;  // distance of the blocks in the slot
  bool shared;             // the ranks reduce a slice each, where all need the result of much
};

constexpr std::size_t kWorthSharing = 16 * 1024;

std::size_t parts_of(const Communicator& comm, const Operation& op) {
  return facts(op.kind).sends_blocks ? static_cast<std::size_t>(comm.ranks()) : 1;
}

void publish(Communicator& comm, const Operation& op, const Piece& piece) {
  if (!sends(comm, op)) return;
  const std::size_t size = size_of(op.type);
  std::byte* const slot = comm.slot(comm.rank());
  for (std::size_t part = 0; part < parts_of(comm, op); ++part) {
    const std::byte* const from = op.send + (part * op.count + piece.begin) * size;
    std::byte* const to = slot + part * piece.part_bytes;
    if (facts(op.kind).reduces) {
      contribute(op.reduction, op.type, comm.ranks(), from, piece.count, to);
    } else {
      std::memcpy(to, from, piece.count * size);
    }
  }
  const bool wrong_contribution = op.fault.action == Action::corrupt && !receives(comm, op);
  if (wrong_contribution && piece.begin == 0) corrupt(slot);
}

/// What of a piece a rank reduces for all.
struct Slice {
  std::size_t begin;
  std::size_t count;
};

Slice slice_of(const Communicator& comm, const Piece& piece, int rank) {
  const auto ranks = static_cast<std::size_t>(comm.ranks());
  const auto at = [&](std::size_t r) { return piece.count * r / ranks; };
  const auto r = static_cast<std::size_t>(rank);
  return {at(r), at(r + 1) - at(r)};
}

/// Reduces `slice` of what all slots hold from `offset` on.
void reduce_slots(const Communicator& comm, const Operation& op, std::size_t offset, Slice slice,
                  std::byte* out) {
  std::vector<const std::byte*> inputs;
  for (int rank = 0; rank < comm.ranks(); ++rank) {
    inputs.push_back(comm.slot(rank) + offset + slice.begin * size_of(op.type));
  }
  reduce(op.reduction, op.type, inputs, slice.count, out);
}

/// This rank's slice, into its place in this rank's slot, which nobody else reads before the result
/// is there.
void reduce_own_slice(const Communicator& comm, const Operation& op, const Piece& piece) {
  const Slice slice = slice_of(comm, piece, comm.rank());
  reduce_slots(comm, op, 0, slice, comm.slot(comm.rank()) + slice.begin * size_of(op.type));
}

void collect_slices(const Communicator& comm, const Operation& op, const Piece& piece,
                    std::byte* out) {
  const std::size_t size = size_of(op.type);
  for (int rank = 0; rank < comm.ranks(); ++rank) {
    const Slice slice = slice_of(comm, piece, rank);
    std::memcpy(out + slice.begin * size, comm.slot(rank) + slice.begin * size, slice.count * size);
  }
}

void consume(Communicator& comm, const Operation& op, const Piece& piece) {
  if (!receives(comm, op)) return;
  const std::size_t size = size_of(op.type);
  const std::size_t part = parts_of(comm, op) > 1 ? static_cast<std::size_t>(comm.rank()) : 0;
  std::byte* const to = op.receive + piece.begin * size;
  if (piece.shared) {
    collect_slices(comm, op, piece, to);
  } else if (facts(op.kind).reduces) {
    reduce_slots(comm, op, part * piece.part_bytes, {0, piece.count}, to);
  } else if (facts(op.kind).receives_blocks) {
    for (int rank = 0; rank < comm.ranks(); ++rank) {
      std::memcpy(to + static_cast<std::size_t>(rank) * op.count * size,
                  comm.slot(rank) + part * piece.part_bytes, piece.count * size);
    }
  } else {
    std::memcpy(to, comm.slot(op.root) + part * piece.part_bytes, piece.count * size);
  }
}

std::string text_of(const Descriptor& d, int rank) {
  return "rank " + std::to_string(rank) + " calls " + facts(d.kind).name + "(count " +
         std::to_string(d.count) + ", type " + std::to_string(d.type) + ", op " +
         std::to_string(d.op) + ", root " + std::to_string(d.root) + ")";
}

/// Whether all ranks are in the same call. The first to find a difference says it, for all.
bool agree(Communicator& comm) {
  const Descriptor& first = comm.member(0).descriptor;
  for (int rank = 1; rank < comm.ranks(); ++rank) {
    const Descriptor& other = comm.member(rank).descriptor;
    if (other != first) {
      comm.fail_all(ncclInvalidUsage, text_of(first, 0) + ", " + text_of(other, rank));
      return false;
    }
  }
  return true;
}

double latest_start_s(const Communicator& comm) {
  double latest = 0;
  for (int rank = 0; rank < comm.ranks(); ++rank) {
    latest = std::max(latest, comm.member(rank).start_s);
  }
  return latest;
}

/// Alone there is nobody to wait for; a slot would only be a detour.
void run_alone(const Operation& op) {
  if (facts(op.kind).reduces) {
    contribute(op.reduction, op.type, 1, op.send, op.count, op.receive);
  } else if (op.send != op.receive) {
    std::memmove(op.receive, op.send, op.count * size_of(op.type));
  }
}

bool run_together(Communicator& comm, const Operation& op, double& time_s) {
  const std::size_t part_bytes = kSlotBytes / parts_of(comm, op) / 16 * 16;
  const std::size_t most = part_bytes / size_of(op.type);
  comm.me().descriptor = {op.kind, op.type, op.reduction.op, op.root, op.count};
  comm.me().start_s = time_s;
  for (std::size_t begin = 0; begin < op.count; begin += most) {
    const std::size_t count = std::min(most, op.count - begin);
    const bool much = count * size_of(op.type) >= kWorthSharing;
    const bool all_need_all = facts(op.kind).reduces && !facts(op.kind).sends_blocks;
    const Piece piece{begin, count, part_bytes, all_need_all && much};
    publish(comm, op, piece);
    if (!barrier(comm)) return false;
    if (begin == 0) {
      if (!agree(comm)) return false;
      time_s = latest_start_s(comm);
    }
    if (piece.shared) {
      reduce_own_slice(comm, op, piece);
      if (!barrier(comm)) return false;
    }
    consume(comm, op, piece);
    if (!barrier(comm)) return false;
  }
  return true;
}

}  // namespace

double cost_s(std::size_t bytes) {
  return settings().latency_s + static_cast<double>(bytes) / settings().bytes_per_s;
}

bool run_collective(Communicator& comm, const Operation& op, double& time_s) {
  if (op.fault.action != Action::none && !strike(comm, op.fault, time_s)) return false;
  if (comm.ranks() == 1) {
    run_alone(op);
  } else if (!run_together(comm, op, time_s)) {
    return false;
  }
  if (op.fault.action == Action::corrupt && receives(comm, op)) corrupt(op.receive);
  time_s += cost_s(counted_elements(op.kind, op.count, comm.ranks()) * size_of(op.type));
  return true;
}

}  // namespace fakenccl
