// SPDX-License-Identifier: Apache-2.0
// Checker: what would hang, corrupt data or race if a plan were run; found without running it.
#pragma once

#include <string>
#include <vector>

#include "plan/matching.h"
#include "plan/plan.h"

namespace collbench::plan {

/// All faults, one sentence each, that names ranks, operations and labels; empty for a sound plan.
/// Of a plan that is not well formed nothing else is asked.
std::vector<std::string> check(const Plan& plan);

/// Operations with a stream, a slot or an `after` that is not there, messages where nothing is
/// communicated, and messages and copies without a slot to read or write, or beyond the end of one.
std::vector<std::string> find_malformed(const Plan& plan);

/// The part of `check` that looks across ranks. A rank starts a communication when the one that it
/// issued before, on any stream, has ended; a communication ends when all ends of its messages have
/// started. A cycle of these is a deadlock on some machine: where kernels of communicators compete
/// for the same resources, as NCCL's do, the orders of issue over all communicators must agree.
std::vector<std::string> find_deadlocks(const Plan& plan, const Matching& matching);

/// The part of `check` that looks at one rank: two uses of a slot, one of them a write, of which
/// neither is certain to be done before the other starts.
std::vector<std::string> find_races(const Plan& plan);

}  // namespace collbench::plan
