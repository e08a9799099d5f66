// SPDX-License-Identifier: Apache-2.0
// What all documents that are made of other programs' output have in common.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "import/printed_number.h"
#include "results/document.h"
#include "traffic/traffic.h"

namespace collbench {

/// The row of this name. Throws UserError that lists the names there are.
const traffic::Traffic& collective_named(std::string_view name);

/// An id that depends on the text and on which of its runs this is, so that a file that is imported
/// twice is the same run.
std::string imported_id(std::string_view text, std::size_t run);

/// MPI_Reduce_scatter, whose ranks may get different counts: it is another call than that of equal
/// blocks, which this suite measures, and so another collective.
inline constexpr std::string_view kReduceScatterV = "reduce_scatterv";

/// A run of one sample per row: who measured, and what is not known of any.
Document imported_document(const std::string& program_and_version, std::string id);

/// The key that all rows of a run share, with what depends on the collective.
RowKey imported_key(const traffic::Traffic& traffic, DataType type, Count count, int ranks);

/// A measured row: its one time, and the bandwidths that follow from it.
Record imported_row(const traffic::Traffic& traffic, const RowKey& key, double time_us,
                    std::uint64_t operations);

/// A row that has no time, and why.
Record skipped_row(const RowKey& key, std::string reason);

/// Whether a bus bandwidth (GB/s) that was printed is that of the size and time that were printed,
/// as far as their digits tell. True for one rank, for which programs differ.
bool bus_bandwidth_follows(const traffic::Traffic& traffic, Bytes size, int ranks,
                           const PrintedNumber& time_us, const PrintedNumber& bus_GBps);

/// Fills what the rows tell of the configuration: sizes, and what all rows have in common.
void configure_from_rows(Document& document);

}  // namespace collbench
