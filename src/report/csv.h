// SPDX-License-Identifier: Apache-2.0
// Result files as comma-separated values: one line per row or per step, for spreadsheets and data
// frames.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "results/document.h"

namespace collbench {

/// The names of the columns, as in result files, with their units.
std::string csv_header();

/// One line per row of the document, in its order. What is absent is empty. Fields are quoted as
/// RFC 4180 says where they hold a comma, a quote or the end of a line; lines end in "\n".
std::string csv_rows(const Document& document);

/// The same of measured training steps, which have other columns.
std::string csv_step_header();
std::string csv_steps(const Document& document);

/// A field as RFC 4180 quotes it where it has to be.
std::string csv_field(std::string_view text);

}  // namespace collbench
