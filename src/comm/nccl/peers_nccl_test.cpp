// SPDX-License-Identifier: Apache-2.0
// Copies from GPU to GPU.
#include "comm/nccl/nccl_test_data.h"
#include "comm/nccl/nccl_test_ranks.h"

namespace collbench {
namespace {

constexpr Count kCount = 1000;

class NcclPeers : public NcclTest {};

// What a rank writes to the next one's GPU and reads back has to be its own.
void copy_to_next(NcclRank& r, PeerDevice& peer) {
  DeviceNumbers mine(*r.device, *r.stream, DataType::float32, kCount);
  DeviceNumbers back(*r.device, *r.stream, DataType::float32, kCount);
  const std::unique_ptr<Memory> there = peer.allocate(kCount * size_of(DataType::float32));
  mine.fill(0, kCount, moved_pattern(DataType::float32, r.rank), 5);
  peer.copy_to(there->data(), mine.at(0), there->bytes(), *r.stream);
  r.device->kernels().copy(back.at(0), there->data(), there->bytes(), *r.stream);
  EXPECT_TRUE(back.has(0, kCount, moved_pattern(DataType::float32, r.rank), 5));
  EXPECT_TRUE(back.ends_untouched());
}

TEST_F(NcclPeers, CopyWithAndWithoutAccess) {
  on_ranks(3, [](NcclRank& r) {
    const auto ids = r.control.all_gather_text(r.device->facts().bus_id);
    const auto next = static_cast<std::size_t>((r.rank + 1) % r.size);
    const std::unique_ptr<PeerDevice> peer = r.device->peer(ids[next]);
    ASSERT_NE(peer, nullptr);
    copy_to_next(r, *peer);
    if (!peer->can_access()) return;
    r.control.barrier();
    peer->set_access(true);
    peer->set_access(true);  // as another rank of the process does
    copy_to_next(r, *peer);
    r.control.barrier();
    peer->set_access(false);
    peer->set_access(false);
    copy_to_next(r, *peer);
  });
}

TEST_F(NcclPeers, AreOfTheProcess) {
  on_ranks(1, [](NcclRank& r) {
    EXPECT_TRUE(r.device->has_own_memory());
    EXPECT_EQ(r.device->peer("0000:FE:00.0"), nullptr);
    EXPECT_EQ(r.device->peer("cpu"), nullptr);
    EXPECT_EQ(r.device->facts().index, 0);  // and the current device is what it was
    EXPECT_NE(r.device->allocate(8, MemoryKind::device), nullptr);
  });
}

}  // namespace
}  // namespace collbench
