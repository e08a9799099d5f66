// SPDX-License-Identifier: Apache-2.0
// The value of --routing: how tokens choose their experts.
#pragma once

#include <string>
#include <string_view>

#include "routing/routing.h"

namespace collbench {

/// For --help: the distributions, and what may follow one.
std::string routing_help();

/// Reads the words, and the trace file that they name, if they name one. Throws UserError that
/// names the flag or the file.
routing::Routing read_routing(std::string_view text, std::string_view flag);

}  // namespace collbench
