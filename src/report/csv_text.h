// SPDX-License-Identifier: Apache-2.0
// Lines of several result files under one header.
#pragma once

#include <string>

#include "results/document.h"

namespace collbench {

/// All files are of steps or all of rows, since their columns differ.
class CsvText {
 public:
  /// Throws UserError that names the file where it is of the other kind than those before it.
  void add(const Document& document, const std::string& file);

  const std::string& text() const { return text_; }

 private:
  bool of_steps_ = false;
  std::string text_;
};

}  // namespace collbench
