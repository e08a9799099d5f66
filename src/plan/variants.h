// SPDX-License-Identifier: Apache-2.0
// Variants: plans made of a plan, to measure what a step's time is made of by leaving something
// out.
//
// All keep classes, streams, slots' indices, and every operation at its index with its `after`, so
// that each operation of a variant is that of the plan.
#pragma once

#include "plan/plan.h"

namespace collbench::plan {

/// Nobody sends anything: what is left is computing, and waiting within each rank.
Plan without_communication(const Plan& plan);

/// Computations take no time: they have no products, and copies have no bytes.
Plan without_computing(const Plan& plan);

/// Every message is cut to one element per block, of which all have one: what it takes longer than
/// computing is the pipeline's bubble, imbalance, and latency.
Plan skeleton(const Plan& plan);

/// Messages with a matrix send as much, rounded up, and every rank as much to every other.
Plan evened(const Plan& plan);

/// The same step, smaller, for machines that do not hold it: elements of messages, bytes of copies
/// and of slots, and k of products divided by `divisor` >= 1, rounded down, but at least 1. Slots
/// stay large enough for what they hold.
Plan shrunk(const Plan& plan, Count divisor);

}  // namespace collbench::plan
