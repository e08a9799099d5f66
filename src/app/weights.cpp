// SPDX-License-Identifier: Apache-2.0
#include "app/weights.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "app/agreement.h"
#include "base/errors.h"
#include "traffic/matrix_file.h"

namespace collbench {

std::string read_matrix_file(const std::string& path) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file && !folder) text.assign(std::istreambuf_iterator<char>(file), {});
  if (folder || !file || file.bad()) {
    throw UserError(fmt::format("the traffic matrix {} cannot be read: {}", path,
                                folder ? "it is a folder" : std::strerror(errno)));
  }
  return text;
}

std::optional<traffic::Matrix> load_weights(ControlPlane& control, const CollectiveOptions& options,
                                            const traffic::Traffic& traffic, int ranks) {
  if (!traffic.by_matrix) return std::nullopt;
  const traffic::MatrixSpec& spec = options.matrix;
  if (spec.kind != traffic::MatrixKind::file) {
    return traffic::make_weights(spec, ranks, options.matrix_seed);
  }
  std::string text;
  together(control, [&] {
    if (control.rank() == 0) text = read_matrix_file(spec.path);
  });
  return traffic::parse_matrix(control.broadcast_text(text), spec.path, ranks);
}

}  // namespace collbench
