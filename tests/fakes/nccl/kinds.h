// SPDX-License-Identifier: Apache-2.0
// The operations of NCCL as one table: what moves where, and what the virtual clock counts.
#pragma once

#include <nccl.h>

#include <array>
#include <cstddef>

namespace fakenccl {

enum class Kind : int {
  AllReduce,
  AllGather,
  ReduceScatter,
  Broadcast,
  Reduce,
  AlltoAll,
  Gather,
  Scatter,
  Send,
  Recv,
  CommInitRank,  // for faults only, like what follows
  CommSplit,
  CommShrink,
};

/// One row of the table. A buffer of blocks holds `count` elements per rank; else it holds `count`.
struct KindFacts {
  Kind kind;
  const char* name;
  const char* logged;  // its name in a log
  bool sends_blocks;
  bool receives_blocks;
  bool reduces;
  bool rooted;
  bool only_root_sends;
  bool only_root_receives;
};

inline constexpr std::array kKinds = {
    KindFacts{Kind::AllReduce, "AllReduce", "all_reduce", false, false, true, false, false, false},
    KindFacts{Kind::AllGather, "AllGather", "all_gather", false, true, false, false, false, false},
    KindFacts{Kind::ReduceScatter, "ReduceScatter", "reduce_scatter", true, false, true, false,
              false, false},
    KindFacts{Kind::Broadcast, "Broadcast", "broadcast", false, false, false, true, true, false},
    KindFacts{Kind::Reduce, "Reduce", "reduce", false, false, true, true, false, true},
    KindFacts{Kind::AlltoAll, "AlltoAll", "alltoall", true, true, false, false, false, false},
    KindFacts{Kind::Gather, "Gather", "gather", false, true, false, true, false, true},
    KindFacts{Kind::Scatter, "Scatter", "scatter", true, false, false, true, true, false},
    KindFacts{Kind::Send, "Send", "send", false, false, false, false, false, false},
    KindFacts{Kind::Recv, "Recv", "recv", false, false, false, false, false, false},
    KindFacts{Kind::CommInitRank, "CommInitRank", "", false, false, false, false, false, false},
    KindFacts{Kind::CommSplit, "CommSplit", "", false, false, false, false, false, false},
    KindFacts{Kind::CommShrink, "CommShrink", "", false, false, false, false, false, false},
};

constexpr const KindFacts& facts(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

constexpr bool is_point_to_point(Kind kind) { return kind == Kind::Send || kind == Kind::Recv; }

/// What an operation of `count` elements counts as, for the virtual clock: the larger of a rank's
/// two buffers, in elements. It is the size that nccl-tests prints: count, times ranks where blocks
/// are.
constexpr std::size_t counted_elements(Kind kind, std::size_t count, int ranks) {
  const bool blocks = facts(kind).sends_blocks || facts(kind).receives_blocks;
  return blocks ? count * static_cast<std::size_t>(ranks) : count;
}

/// Bytes of one element; 0 for no type of NCCL.
constexpr std::size_t size_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
    case ncclFloat8e4m3:
    case ncclFloat8e5m2:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64:
      return 8;
    default:
      return 0;
  }
}

}  // namespace fakenccl
