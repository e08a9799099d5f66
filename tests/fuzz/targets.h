// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: every reader of text that comes from elsewhere. A target throws what it must not
// (std::logic_error, std::bad_alloc, ...) or returns; what users are to read it turns into a
// UserError and swallows.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/errors.h"
#include "base/one_line.h"

namespace collbench::fuzz {

void results(std::string_view text);
void result_set(std::string_view text);
void rows(std::string_view text);
void nccl_tests_text(std::string_view text);
void nccl_tests_json(std::string_view text);
void osu(std::string_view text);
void imb(std::string_view text);
void matrix(std::string_view text);
void routing(std::string_view text);
void model(std::string_view text);
void config(std::string_view text);
void links(std::string_view text);
void rules(std::string_view text);

struct Target {
  std::string_view name;   // of its folder in tests/fuzz/corpus/, too
  std::string_view seeds;  // a folder of the repository whose files are its corpus, too
  void (*run)(std::string_view text);
};

inline constexpr std::array kTargets = {
    Target{"results", "tests/golden", results},
    Target{"result_set", "tests/golden", result_set},
    Target{"rows", "tests/fuzz/corpus/rows", rows},
    Target{"nccl_tests_text", "tests/imports", nccl_tests_text},
    Target{"nccl_tests_json", "tests/imports", nccl_tests_json},
    Target{"osu", "tests/imports", osu},
    Target{"imb", "tests/imports", imb},
    Target{"matrix", "tests/fuzz/corpus/matrix", matrix},
    Target{"routing", "tests/fuzz/corpus/routing", routing},
    Target{"model", "src/model/presets", model},
    Target{"config", "tests/fuzz/corpus/config", config},
    Target{"links", "tests/fuzz/corpus/links", links},
    Target{"rules", "src/analysis", rules},
};

/// A property that does not hold: ends the process under libFuzzer, fails the test elsewhere.
inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

/// Runs `read` on text that may be anything: it returns, or says in one line what is wrong.
template <class Read>
void reads_or_refuses(Read read) {
  try {
    read();
  } catch (const UserError& error) {
    const std::string line = message_line(error.what());
    require(line.size() > 1 && line.find('\n') == line.size() - 1, "a refusal is one line");
  }
}

}  // namespace collbench::fuzz
