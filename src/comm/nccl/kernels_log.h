// SPDX-License-Identifier: Apache-2.0
// What checks leave in memory of the device: a LogHead, and behind it LogEntries.
#pragma once

namespace collbench::gpu {

struct LogHead {
  unsigned long long done;     // checks
  unsigned long long entries;  // of checks that found anything; there may be no room for all
};

struct LogEntry {
  unsigned long long check;  // its number
  unsigned long long wrong;  // elements
  unsigned long long first_wrong;
  unsigned long long found;  // the bytes of that element
  unsigned long long expected;
};

}  // namespace collbench::gpu
