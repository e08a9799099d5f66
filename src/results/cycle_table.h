// SPDX-License-Identifier: Apache-2.0
// The cycles of a soak as comment lines of the table.
#pragma once

#include <span>
#include <string>

#include "results/cycle.h"
#include "results/document.h"
#include "results/table_style.h"

namespace collbench {

/// When cycles began, and how their fastest and slowest row compare to the same rows of the first;
/// at most 20 lines, of several cycles each where there are more. Empty where there are none, and
/// in the style of nccl-tests.
std::string cycle_table(std::span<const CycleRow> cycles, const TableStyle& style = {});

/// What the cycles come to, for the footer: their number, the first wrong data, the rows that
/// drift. Empty where there are none.
std::string cycle_lines(const Document& document, const TableStyle& style = {});

}  // namespace collbench
