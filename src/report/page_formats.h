// SPDX-License-Identifier: Apache-2.0
// Pages as text: one writer per format, all of the same values.
#pragma once

#include <string>

#include "report/page.h"

namespace collbench::report {

/// One self-contained file: script, style and data are in it, and nothing is loaded from anywhere.
/// Without scripts the tables are there, without charts.
std::string to_html(const Page& page);

/// For pull requests and wikis. Tables have their first 200 rows, and say how many were left out.
std::string to_markdown(const Page& page);

/// For terminals.
std::string to_text(const Page& page);

/// Of a table that does not show all: "12 more rows are left out"; else "".
std::string left_out_text(std::size_t rows);

/// "problem: ", "attention: ", "good: ": what colour alone must not carry; "" for plain.
std::string_view word_of(Tone tone);

}  // namespace collbench::report
