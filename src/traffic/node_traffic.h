// SPDX-License-Identifier: Apache-2.0
// What of a collective leaves a node, where ranks are on several: the bytes that its NICs carry.
#pragma once

#include <optional>
#include <span>

#include "traffic/traffic.h"

namespace collbench::traffic {

/// The bytes that cross the NICs of one node, in the busier direction, over S, the message size
/// (traffic.h). Of the node that most crosses. It is what the collective cannot do without where
/// no switch reduces: an algorithm that keeps to nodes as long as it can, as NCCL's do. With k
/// nodes of m ranks, n = k m:
///
///   all_reduce                       2 (k - 1) / k   each node's share in, the sums out, as
///   bus_factor all_gather, reduce_scatter       (k - 1) / k     the blocks of other nodes, once
///   alltoall                         m (n - m) / n   of every rank the blocks for other nodes
///   broadcast, reduce                1               the message, once
///   gather, scatter                  (n - m) / n     the blocks of other nodes, at the root's
///   sendrecv                         the ranks of a node whose next one is on another
///   hypercube                        what its steps send to partners on other nodes
///
/// Source: of the first two, busbw (k - 1) / (n - 1) for each of m GPUs, for the hierarchical
/// algorithm (Stas Bekman, "Machine Learning Engineering", on all_reduce across nodes); the rest
/// counts blocks in the same way.
///
/// `node_of_rank` has the node of each rank. Nothing where all are on one node, where nodes have
/// different numbers of ranks, and by matrix, whose sizes it does not know.
std::optional<double> node_factor(const Traffic& traffic, std::span<const int> node_of_rank);

}  // namespace collbench::traffic
