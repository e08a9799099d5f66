// SPDX-License-Identifier: Apache-2.0
// What the reader of an output can show.
#pragma once

#include <cstddef>
#include <functional>

namespace collbench {

struct Terminal {
  bool colour = false;
  std::size_t width = 0;  // in columns; 0: no limit, as into a file or through mpirun
};

/// Of a file descriptor. Colours only on a terminal that is not "dumb"; NO_COLOR forbids them
/// everywhere (https://no-color.org), and after it FORCE_COLOR wants them everywhere: what mpirun
/// passes on to a terminal comes through a pipe.
Terminal terminal_of(int descriptor, const std::function<const char*(const char*)>& read);

}  // namespace collbench
