// SPDX-License-Identifier: Apache-2.0
// Documents, rows and host facts as JSON and back; results/README.md describes the format, and
// results/schema/ has its JSON Schema.
//
// Absent: not measured. null: measured, but undefined there, as the bus bandwidth of one rank.
// Units change here and nowhere else: seconds and bytes per second inside, `_us` and `_GBps` in
// the file. Text that is not UTF-8 (an environment variable may be anything) is written with
// U+FFFD in place of the odd bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/document.h"

namespace collbench {

/// The whole document, one row or step per line, ending in a newline. Throws std::logic_error with
/// the JSON pointer of the first number that is not finite: JSON has none, and null would lie.
std::string to_json(const Document& document);

/// Like to_json, on one line without its end.
std::string to_json_line(const Record& row);
std::string to_json_line(const CycleRow& cycle);
std::string to_json_line(const StepRecord& step);
std::string to_json_line(const HostFacts& host);
std::string to_json_line(const RankFacts& rank);

/// Reads what to_json wrote, and documents of later minor versions: fields it does not know are
/// ignored. `source` names the text in messages. Throws UserError of one sentence for anything
/// else, as "FILE: /rows/3/time_us/median: expected a number, found a string".
Document document_from_json(std::string_view text, std::string_view source);

/// Several runs in one text, each as to_json has it. A run of status `running` keeps its rows.
std::string set_to_json(std::span<const Document> runs);

/// Reads what to_json or set_to_json wrote: one run or several. Of a set, a run of status `running`
/// is one that never wrote its end, and is marked incomplete. Throws as document_from_json.
std::vector<Document> documents_from_json(std::string_view text, std::string_view source);

/// Adds a line of FILE.rows: a row, what a soak keeps of one in a cycle, or a step. Throws
/// UserError.
void add_line(Document& document, std::string_view text, std::string_view source);

Record record_from_json(std::string_view text, std::string_view source);
StepRecord step_from_json(std::string_view text, std::string_view source);
HostFacts host_from_json(std::string_view text, std::string_view source);
RankFacts rank_from_json(std::string_view text, std::string_view source);

}  // namespace collbench
