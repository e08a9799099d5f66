// SPDX-License-Identifier: Apache-2.0
// The MPI library's name and version, out of the text that MPI_Get_library_version gives.
#pragma once

#include <string>
#include <string_view>

namespace collbench {

/// "MPICH 4.0.2", "Open MPI 4.1.4": the name and, as last word, the version. A text of unknown form
/// gives its first line.
std::string library_name(std::string_view version_text);

}  // namespace collbench
