// SPDX-License-Identifier: Apache-2.0
// What other programs print: the documents that are made of it can be written and read back.
#include "import/import.h"

#include "comes_back.h"

namespace collbench::fuzz {
namespace {

/// With what a person may say, and without.
void imports(ForeignFormat format, std::string_view text) {
  const ImportFacts all = {.ranks = 4,
                           .nodes = 2,
                           .collective = "all_gather",
                           .type = DataType::float32,
                           .aggregation = "max"};
  for (const ImportFacts& facts : {ImportFacts(), ImportFacts{.ranks = 4, .nodes = 2}, all}) {
    reads_or_refuses([&] { comes_back(import_runs(format, text, "FILE", facts).runs); });
  }
  recognise(text);
}

}  // namespace

void nccl_tests_text(std::string_view text) { imports(ForeignFormat::nccl_tests_text, text); }
void nccl_tests_json(std::string_view text) { imports(ForeignFormat::nccl_tests_json, text); }
void osu(std::string_view text) { imports(ForeignFormat::osu, text); }
void imb(std::string_view text) { imports(ForeignFormat::imb, text); }

}  // namespace collbench::fuzz
