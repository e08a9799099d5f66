// SPDX-License-Identifier: Apache-2.0
#include "app/weights.h"

#include <string>

#include "app/agreement.h"
#include "results/open_file.h"
#include "traffic/matrix_file.h"

namespace collbench {

std::string read_matrix(ControlPlane& control, const CollectiveOptions& options,
                        const traffic::Traffic& traffic) {
  const traffic::MatrixSpec& spec = options.matrix;
  if (!traffic.by_matrix || spec.kind != traffic::MatrixKind::file) return "";
  std::string text;
  together(control, [&] {
    if (control.rank() == 0) text = read_file(spec.path);
  });
  return control.broadcast_text(text);
}

std::optional<traffic::Matrix> weights_of(const CollectiveOptions& options,
                                          const traffic::Traffic& traffic, std::string_view text,
                                          int ranks) {
  if (!traffic.by_matrix) return std::nullopt;
  const traffic::MatrixSpec& spec = options.matrix;
  if (spec.kind == traffic::MatrixKind::file) {
    return traffic::parse_matrix(text, spec.path, ranks);
  }
  return traffic::make_weights(spec, ranks, options.matrix_seed);
}

}  // namespace collbench
