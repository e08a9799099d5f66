// SPDX-License-Identifier: Apache-2.0
// Traffic matrices in files: whole numbers of bytes, separated by blanks or commas, one line per
// sending rank; what follows a # is a comment.
#pragma once

#include <string_view>

#include "traffic/matrix.h"

namespace collbench::traffic {

/// The matrix in a file's text. Throws UserError, with the line, unless there are as many lines of
/// numbers as ranks, each with as many numbers, and somebody sends something.
Matrix parse_matrix(std::string_view text, std::string_view path, int ranks);

}  // namespace collbench::traffic
