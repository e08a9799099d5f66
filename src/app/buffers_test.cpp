// SPDX-License-Identifier: Apache-2.0
#include "app/buffers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/errors.h"

namespace collbench {
namespace {

constexpr Bytes kGiB = 1ULL << 30;

// One rank, beside one that has another amount of memory.
class TwoRanks final : public ControlPlane {
 public:
  explicit TwoRanks(Bytes of_the_other) : of_the_other_(of_the_other) {}
  int rank() const override { return 0; }
  int size() const override { return 2; }
  void barrier() override {}
  void all_gather_bytes(const void* mine, Bytes each, void* all) override {
    std::memcpy(all, mine, each);
    std::memcpy(static_cast<std::byte*>(all) + each, &of_the_other_, each);
  }
  void broadcast_bytes(void*, Bytes) override {}

 private:
  Bytes of_the_other_;
};

// Has 10 GiB, of which none is ever touched.
class MemoryOnPaper final : public Device {
 public:
  DeviceFacts facts() const override { return {}; }
  double now_s() override { return 0; }
  Bytes available(MemoryKind) override { return 10 * kGiB; }
  std::unique_ptr<Memory> allocate(Bytes bytes, MemoryKind) override {
    allocated += bytes;
    return nullptr;
  }
  std::unique_ptr<Stream> make_stream() override { return nullptr; }
  std::unique_ptr<Event> make_event() override { return nullptr; }
  void record(Event&, Stream&) override {}
  void wait(Stream&, Event&) override {}
  Kernels& kernels() override { throw std::logic_error("no memory to work on"); }
  std::unique_ptr<Gemms> make_gemms(std::span<const GemmShape>) override { return nullptr; }

  Bytes allocated = 0;
};

std::string refusal(Bytes of_the_other, const BufferNeed& need, Bytes extra) {
  TwoRanks control(of_the_other);
  MemoryOnPaper device;
  try {
    const SweepBuffers buffers(control, device, need, extra);
    EXPECT_EQ(device.allocated, 2 * need.bytes());
  } catch (const UserError& error) {
    EXPECT_EQ(device.allocated, 0U);
    return error.what();
  }
  return "";
}

TEST(SweepBuffers, WhatFitsIsAllocated) {
  EXPECT_EQ(refusal(10 * kGiB, {39 * kGiB / 8}, 0), "");
  EXPECT_EQ(refusal(10 * kGiB, {3 * kGiB}, 3 * kGiB), "");
}

TEST(SweepBuffers, TheLibrariesKeepSome) {
  EXPECT_EQ(refusal(10 * kGiB, {5 * kGiB}, 0),
            "-e: messages of 5 GiB need two such buffers per rank, but rank 0 can have 9.75 GiB; "
            "lower -e");
}

TEST(SweepBuffers, TheScarcestRankDecides) {
  EXPECT_EQ(
      refusal(kGiB, {kGiB / 2}, 0),
      "-e: messages of 512 MiB need two such buffers per rank, but rank 1 can have 921.6 MiB; "
      "lower -e");
}

TEST(SweepBuffers, TheOperationsOwnMemoryCounts) {
  EXPECT_EQ(refusal(10 * kGiB, {4 * kGiB}, 4 * kGiB),
            "-e: messages of 4 GiB need two such buffers per rank, and the library takes 4 GiB "
            "more, but rank 0 can have 9.75 GiB; lower -e");
  EXPECT_NE(refusal(10 * kGiB, {1}, 11 * kGiB), "");
}

TEST(SweepBuffers, OperationsAtOnceHaveAPlaceEach) {
  EXPECT_EQ(refusal(10 * kGiB, {kGiB, 4, 1}, 0), "");
  EXPECT_EQ((BufferNeed{100, 4, 3}).bytes(), 400U + 3 * 8);
  EXPECT_EQ(refusal(10 * kGiB, {kGiB, 5, 0}, 0),
            "-e: messages of 1 GiB need two such buffers per rank, 5 times as large for -m, but "
            "rank 0 can have 9.75 GiB; lower -e or -m");
  // And memory of the library each: 4 GiB of buffers, and 4 or 8 GiB.
  EXPECT_EQ(refusal(10 * kGiB, {kGiB / 2, 4, 0}, kGiB), "");
  EXPECT_NE(refusal(10 * kGiB, {kGiB / 2, 4, 0}, 2 * kGiB), "");
}

TEST(SweepBuffers, WhatCannotBeCountedIsRefused) {
  EXPECT_NE(refusal(10 * kGiB, {kGiB, 1ULL << 40, 0}, 0), "");
  EXPECT_NE(refusal(10 * kGiB, {8, 1, ~Count{0} / 2}, 0), "");
}

}  // namespace
}  // namespace collbench
