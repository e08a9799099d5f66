// SPDX-License-Identifier: Apache-2.0
// Files of flags: a line per flag, "minbytes = 8", as --config reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace collbench {

struct ConfigEntry {
  int line = 0;
  std::string key;    // "minbytes"
  std::string value;  // without its quotes
};

/// Lines of `key = value`, empty ones, and comments after "#". A value with a blank or a "#" stands
/// in double quotes, so that such a file is also one of TOML. `source` is for messages. Throws
/// UserError, naming the line, for anything else and for a key that is given twice.
std::vector<ConfigEntry> parse_config(std::string_view text, std::string_view source);

/// The content of a file of flags. Throws UserError when it cannot be read or is too long for one.
std::string read_config_file(const std::string& path);

}  // namespace collbench
