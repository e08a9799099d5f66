// SPDX-License-Identifier: Apache-2.0
// A plan as text, for people: what --dry-run shows.
#pragma once

#include <string>

#include "plan/link_model.h"
#include "plan/plan.h"

namespace collbench::plan {

/// Layout, step, and for each class what its ranks send by axis and kind, and its slots; of one
/// with the same numbers as an earlier one that they are.
std::string describe_totals(const Plan& plan);

/// The groups of ranks that communicate, the first few of each axis, and the nodes they lie on.
std::string describe_groups(const Plan& plan, int ranks_per_node);

/// A line for each kind of traffic that the plan leaves out.
std::string describe_left_out(const Plan& plan);

/// Whether measurements of the links are of all operations that a plan has.
bool all_measured(const Plan& plan, const LinkModel& links);

/// A line for each operation that links were measured without, so that their defaults count.
/// Nothing where none were measured.
std::string describe_unmeasured(const Plan& plan, const LinkModel& links);

/// Every operation of every class, one per line.
std::string describe_ops(const Plan& plan);

/// "all_gather tp 64 MiB bfloat16", "send pp->3 8 MiB bfloat16", and of two ranks with a
/// communicator of their own "send pp pair->3 8 MiB bfloat16". By a matrix, how uneven that is:
/// "alltoallv ep 8 MiB bfloat16, max/mean 1.31"; and where it is said of which ranks, what they
/// send and receive, themselves included: ", 5 MiB out, 8 MiB in".
std::string describe(const Plan& plan, const Message& message, const RankClass* ranks = nullptr);

}  // namespace collbench::plan
