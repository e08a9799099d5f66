// SPDX-License-Identifier: Apache-2.0
// What this host and this process's environment are, for the result file.
#pragma once

#include <map>
#include <span>
#include <string>

#include "results/document.h"

namespace collbench {

/// This host. Takes some milliseconds; `cores` are those that this process's container may use.
HostFacts host_facts();

/// The variables that change what a run measures, of "NAME=value" texts: by allow-list, so that
/// nothing else of a user's environment gets into a file. Values read "<redacted>" where the name
/// looks like a secret's (TOKEN, SECRET, KEY, PASS, CRED in it).
std::map<std::string, std::string> select_variables(std::span<const char* const> environment);

/// select_variables of this process.
std::map<std::string, std::string> recorded_variables();

}  // namespace collbench
