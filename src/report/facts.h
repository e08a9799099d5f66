// SPDX-License-Identifier: Apache-2.0
// Facts: what tells measurements apart, in words, so that labels can name what differs and no more.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/record.h"
#include "results/step_record.h"

namespace collbench::report {

/// What something is, by one fact after the other, in an order that things of one kind share. Empty
/// text: the fact does not apply.
using Facts = std::vector<std::string>;

/// What rows of one chart share: collective, type, operation first.
Facts sweep_facts(const RowKey& key);

/// What lines of one chart may differ in: ranks, hosts, group, placement.
Facts line_facts(const RowKey& key);

/// The scheme and its layout.
Facts step_facts(const StepKey& key);

/// For each the texts of the facts in which any of them differ, joined by ", "; the first
/// `always` facts are always there. Never empty: where nothing differs, it is the last fact that
/// applies.
std::vector<std::string> labels(std::span<const Facts> things, std::size_t always = 0);

/// Those of the facts that all of them share and that labels() with the same `always` leave out.
std::string shared(std::span<const Facts> things, std::size_t always = 0);

}  // namespace collbench::report
