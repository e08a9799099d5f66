// SPDX-License-Identifier: Apache-2.0
// The corpora, and mutations of them from a fixed seed, without libFuzzer: every build replays what
// `make fuzz` began with and has found.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "targets.h"

namespace collbench::fuzz {
namespace {

namespace fs = std::filesystem;

void add_files(const fs::path& folder, std::vector<fs::path>& files) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.file_size() < (1U << 15U)) files.push_back(entry.path());
  }
}

std::vector<std::string> corpus(const Target& target) {
  const fs::path root = fs::path(__FILE__).parent_path() / "../..";
  std::vector<fs::path> files;
  add_files(root / "tests/fuzz/corpus" / target.name, files);
  if (!target.seeds.starts_with("tests/fuzz/corpus")) add_files(root / target.seeds, files);
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return texts;
}

/// Damage as disks, editors and people do it: at one place, or a piece lost or doubled.
std::string damaged(std::string text, std::mt19937& random) {
  constexpr std::array<std::string_view, 10> kWords = {
      "-1", "1e308", "18446744073709551615", "\"", "{", "]", "\n", "null", "0", "nan"};
  const auto below = [&](std::size_t n) { return random() % std::max<std::size_t>(n, 1); };
  for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
    const std::size_t at = below(text.size());
    const std::size_t length = below(std::min<std::size_t>(64, text.size() - at));
    switch (below(4)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      default:
        text.replace(at, length % 8, kWords[below(kWords.size())]);
    }
  }
  return text;
}

class Fuzz : public testing::TestWithParam<Target> {};

TEST_P(Fuzz, CorpusAndItsDamage) {
  constexpr int kDamagedCopies = 20;
  const Target& target = GetParam();
  const std::vector<std::string> texts = corpus(target);
  ASSERT_FALSE(texts.empty());
  std::mt19937 random(1);
  for (const std::string& text : texts) {
    EXPECT_NO_THROW(target.run(text)) << text;
    for (int copy = 0; copy < kDamagedCopies; ++copy) {
      const std::string broken = damaged(text, random);
      EXPECT_NO_THROW(target.run(broken)) << broken;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Fuzz, testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace collbench::fuzz
