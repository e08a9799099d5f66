// SPDX-License-Identifier: Apache-2.0
// For tests: what is said of a document that is broken, and how to break one.
#pragma once

#include <stdexcept>
#include <string>

#include "base/errors.h"
#include "results/json.h"

namespace collbench {

inline std::string error_of(const std::string& text) {
  try {
    document_from_json(text, "FILE");
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

/// The document as text with the first `from` replaced, which must be there.
inline std::string replaced(const Document& document, const std::string& from,
                            const std::string& to) {
  std::string text = to_json(document);
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("the example has no " + from);
  return text.replace(at, from.size(), to);
}

}  // namespace collbench
