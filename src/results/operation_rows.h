// SPDX-License-Identifier: Apache-2.0
// Rows of operations that are no sweep of a collective: calls that make and end communicators, and
// copies of a rank by itself. Each names itself on its line, since a table has several of them.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "results/record.h"
#include "results/table_style.h"

namespace collbench {

/// The mode of a run whose rows each have a mode of their own.
inline constexpr std::string_view kModeOfEachRow = "of_each_row";

/// When such a row's operation is done: the mode in its key.
struct OperationMode {
  std::string_view name;
  std::string_view meaning;  // for people, a clause
};

namespace operation_modes {

inline constexpr OperationMode first = {
    "first", "the first one that this process does, which loads what later ones find there"};
inline constexpr OperationMode repeated = {"repeated",
                                           "on a communicator that is made anew each time"};
inline constexpr OperationMode cold = {"cold", "the first operation of each communicator"};
inline constexpr OperationMode warm = {"warm",
                                       "the operation after that, on the same communicator"};
inline constexpr OperationMode alone = {
    "alone", "one rank of a host after the other, while the others wait"};
inline constexpr OperationMode together = {"together", "all ranks at the same time"};

inline constexpr std::array all = {first, repeated, cold, warm, alone, together};

}  // namespace operation_modes

/// Whether the row is of such an operation.
bool is_of_operation(const RowKey& key);

/// The names of the columns.
std::string operation_titles();

/// A line of the table, and a comment line with the reason if the row was not measured or is wrong.
/// fastest and slowest are the least and the largest of the ranks' medians.
std::string operation_line(const Record& row, const TableStyle& style = {});

/// A comment line for each mode that a row has.
std::string explain_modes(std::span<const Record> rows);

}  // namespace collbench
