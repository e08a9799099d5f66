// SPDX-License-Identifier: Apache-2.0
#include "app/device_states.h"

#include <gtest/gtest.h>

#include "comm/test_one_process.h"
#include "measure/sampling_fakes.h"

namespace collbench {
namespace {

class TellingDevice final : public Device {
 public:
  explicit TellingDevice(std::optional<DeviceState> state) : state_(std::move(state)) {}
  DeviceFacts facts() const override { return {}; }
  double now_s() override { return 0; }
  Bytes available(MemoryKind) override { return 0; }
  std::unique_ptr<Memory> allocate(Bytes, MemoryKind) override { return nullptr; }
  std::unique_ptr<Stream> make_stream() override { return nullptr; }
  std::unique_ptr<Event> make_event() override { return nullptr; }
  void record(Event&, Stream&) override {}
  void wait(Stream&, Event&) override {}
  Kernels& kernels() override { throw std::logic_error("no kernels"); }
  std::unique_ptr<Gemms> make_gemms(std::span<const GemmShape>) override { return nullptr; }
  std::optional<DeviceState> state() override { return state_; }

 private:
  std::optional<DeviceState> state_;
};

TEST(DeviceStates, ArriveAsTheDevicesTellThem) {
  OneProcess control;
  for (const std::optional<DeviceState>& state :
       {std::optional<DeviceState>(), std::optional(DeviceState{1980, {}}),
        std::optional(DeviceState{1402.5, {"sw_power_cap", "hw_slowdown"}})}) {
    TellingDevice device(state);
    EXPECT_EQ(gather_states(control, device), std::vector{state});
  }
}

}  // namespace
}  // namespace collbench
