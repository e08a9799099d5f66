// SPDX-License-Identifier: Apache-2.0
#include "nvml.h"

#include <gtest/gtest.h>

#include "../cuda/in_child.h"

namespace {

class FakeNvml : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(nvmlInit_v2(), NVML_SUCCESS); }
  void TearDown() override { EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS); }
};

nvmlDevice_t device_at(const char* bus_id) {
  nvmlDevice_t device = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2(bus_id, &device), NVML_SUCCESS);
  return device;
}

TEST_F(FakeNvml, FindsDevicesByBusId) {
  EXPECT_NE(device_at("0000:01:00.0"), nullptr);
  EXPECT_NE(device_at("00000000:08:00.0"), nullptr);
  nvmlDevice_t device = nullptr;
  for (const char* const none :
       {"0000:00:00.0", "0000:09:00.0", "0001:01:00.0", "0000:01:00", "x"}) {
    EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2(none, &device), NVML_ERROR_NOT_FOUND) << none;
  }
}

TEST_F(FakeNvml, SaysTheClockAndNoReasons) {
  const nvmlDevice_t device = device_at("0000:01:00.0");
  unsigned mhz = 0;
  EXPECT_EQ(nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &mhz), NVML_SUCCESS);
  EXPECT_EQ(mhz, 1980U);
  EXPECT_EQ(nvmlDeviceGetClockInfo(device, 4, &mhz), NVML_ERROR_INVALID_ARGUMENT);
  unsigned long long mask = 1;
  EXPECT_EQ(nvmlDeviceGetCurrentClocksEventReasons(device, &mask), NVML_SUCCESS);
  EXPECT_EQ(mask, 0U);
}

TEST(FakeNvmlUse, NeedsInit) {
  nvmlDevice_t device = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2("0000:01:00.0", &device), NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
  EXPECT_STREQ(nvmlErrorString(NVML_ERROR_UNINITIALIZED), "Uninitialized");
}

TEST(FakeNvmlUse, SaysWhatTheEnvironmentSays) {
  expect_in_child({{"FAKE_NVML_SM_MHZ", "1200"}, {"FAKE_NVML_REASONS", "0x24"}}, [] {
    nvmlInit_v2();
    const nvmlDevice_t device = device_at("0000:01:00.0");
    unsigned mhz = 0;
    unsigned long long mask = 0;
    EXPECT_EQ(nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &mhz), NVML_SUCCESS);
    EXPECT_EQ(mhz, 1200U);
    EXPECT_EQ(nvmlDeviceGetCurrentClocksEventReasons(device, &mask), NVML_SUCCESS);
    EXPECT_EQ(mask, 0x24U);
    mask = 0;
    EXPECT_EQ(nvmlDeviceGetCurrentClocksThrottleReasons(device, &mask), NVML_SUCCESS);
    EXPECT_EQ(mask, 0x24U);
  });
}

TEST(FakeNvmlUse, RefusesWhatMakesNoSense) {
  const auto use = [] { nvmlInit_v2(); };
  expect_refusal({{"FAKE_NVML_SM_MHZ", "fast"}}, use, "FAKE_NVML_SM_MHZ=fast is not");
  expect_refusal({{"FAKE_NVML_REASONS", "24h"}}, use, "FAKE_NVML_REASONS=24h is not");
  expect_refusal({{"FAKE_NVML_CLOCK", "1"}}, use, "FAKE_NVML_CLOCK is not a variable of the fakes");
  expect_refusal({{"FAKE_NVML_REASONS", "0x"}}, use, "FAKE_NVML_REASONS=0x is not");
}

}  // namespace
