// SPDX-License-Identifier: Apache-2.0
#include "app/weights.h"

#include <string>

#include "app/agreement.h"
#include "results/open_file.h"
#include "traffic/matrix_file.h"

namespace collbench {

std::optional<traffic::Matrix> load_weights(ControlPlane& control, const CollectiveOptions& options,
                                            const traffic::Traffic& traffic, int ranks) {
  if (!traffic.by_matrix) return std::nullopt;
  const traffic::MatrixSpec& spec = options.matrix;
  if (spec.kind != traffic::MatrixKind::file) {
    return traffic::make_weights(spec, ranks, options.matrix_seed);
  }
  std::string text;
  together(control, [&] {
    if (control.rank() == 0) text = read_file(spec.path);
  });
  return traffic::parse_matrix(control.broadcast_text(text), spec.path, ranks);
}

}  // namespace collbench
