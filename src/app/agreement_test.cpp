// SPDX-License-Identifier: Apache-2.0
#include "app/agreement.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace collbench {
namespace {

TEST(CombinedStatus, NothingIsWorseThanOk) {
  EXPECT_EQ(combined_status({}), ExitStatus::ok);
  EXPECT_EQ(combined_status({ExitStatus::ok, ExitStatus::ok}), ExitStatus::ok);
}

TEST(CombinedStatus, TheFirstOfTheOrderWins) {
  const std::vector<ExitStatus> worst_first = {
      ExitStatus::user_error,     ExitStatus::system_error, ExitStatus::deadline,
      ExitStatus::interrupted,    ExitStatus::terminated,   ExitStatus::wrong_data,
      ExitStatus::verdict_failed, ExitStatus::inconclusive, ExitStatus::ok};
  for (std::size_t worse = 0; worse < worst_first.size(); ++worse) {
    for (std::size_t better = worse; better < worst_first.size(); ++better) {
      EXPECT_EQ(combined_status({worst_first[better], worst_first[worse]}), worst_first[worse]);
    }
  }
}

// Rank 0 of two; rank 1's part of each gathering is written down beforehand.
class ScriptedPair final : public ControlPlane {
 public:
  explicit ScriptedPair(std::vector<std::string> of_rank1) : of_rank1_(std::move(of_rank1)) {}

  int rank() const override { return 0; }
  int size() const override { return 2; }
  void barrier() override {}
  void all_gather_bytes(const void* mine, Bytes each, void* all) override {
    std::memset(all, 0, 2 * each);
    std::memcpy(all, mine, each);
    ASSERT_LT(next_, of_rank1_.size());
    const std::string& other = of_rank1_[next_++];
    std::memcpy(static_cast<char*>(all) + each, other.data(), std::min(each, Bytes{other.size()}));
  }
  void broadcast_bytes(void*, Bytes) override {}

 private:
  std::vector<std::string> of_rank1_;
  std::size_t next_ = 0;
};

std::string bytes_of(Bytes number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

std::string error_of(ControlPlane& control, const std::function<void()>& work) {
  try {
    together(control, work);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Together, NoErrorPasses) {
  ScriptedPair pair({std::string(1, '\0')});
  EXPECT_EQ(error_of(pair, [] {}), "");
}

TEST(Together, AnErrorOfAnotherRankIsThrownHere) {
  ScriptedPair pair({std::string(1, '\1'), bytes_of(9), "-J: taken"});
  EXPECT_EQ(error_of(pair, [] {}), "-J: taken");
}

TEST(Together, TheLowestRankSpeaks) {
  ScriptedPair pair({std::string(1, '\1'), bytes_of(9), "-J: taken"});
  EXPECT_EQ(error_of(pair, [] { throw UserError("mine"); }), "mine");
}

TEST(Together, AnotherKindOfErrorIsThisRanksOwn) {
  ScriptedPair pair({});
  EXPECT_THROW(together(pair, [] { throw SystemError("write failed"); }), SystemError);
}

}  // namespace
}  // namespace collbench
