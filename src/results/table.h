// SPDX-License-Identifier: Apache-2.0
// The table on stdout, in the layout of nccl-tests 2.19.6, so that what reads that reads this.
//
// Where it differs, on purpose:
// - `time` is the median of a row's samples, each reduced over ranks as the header says; nccl-tests
//   has one sample and by default the mean over ranks.
// - busbw, and its average, is N/A for one rank, which crosses no link; #wrong is N/A when nothing
//   was checked; a placement that was not measured is N/A throughout.
// - A row that was not measured is a comment line that says why, never zeros, and never part of the
//   average. A placement with wrong data has its numbers and such a line, and is no part of the
//   average either.
// - Where ranks are split into groups, each has rows of its own below a comment line that names it,
//   and an average of its own; nccl-tests averages all ranks of all groups.
// - The number of values out of bounds is that of wrong placements (a row has two), as one check is
//   of all ranks; nccl-tests counts every process and thread. A count too wide for its column
//   loses digits, not the column.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "results/document.h"
#include "results/table_style.h"

namespace collbench {

/// From the first line to the column names. `notes` are lines about the run, without "# ".
std::string table_header(const Document& document, std::span<const std::string> notes = {},
                         const TableStyle& style = {});

/// One size: both placements on a line, and a comment line for each that was not measured or is
/// wrong.
std::string table_row(const Record& out_of_place, const Record& in_place,
                      const TableStyle& style = {});

/// All rows, each in-place one beside its neighbour of the same size; of a run that was cut short
/// the last may stand alone.
std::string table_rows(std::span<const Record> rows, const TableStyle& style = {});

/// From the number of wrong placements to the end. A run that ended early is said to have.
std::string table_footer(const Document& document, const TableStyle& style = {});

/// "# text" and its end; always one line, whatever a file or a library puts into the text.
std::string comment_line(std::string_view text);

/// The line, such that nobody overlooks it.
std::string highlighted(std::string line, const TableStyle& style);

}  // namespace collbench
