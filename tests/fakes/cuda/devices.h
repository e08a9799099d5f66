// SPDX-License-Identifier: Apache-2.0
// Facts of the fake devices that more than one file needs.
#pragma once

#include <string>

namespace fakecuda {

/// Whether this process sees a device of that number.
bool is_device(int device);

/// Whether kernels of a device reach memory of another one: its own, and what
/// cudaDeviceEnablePeerAccess named.
bool reaches(int device, int owner);

/// Such as 0000:01:00.0; processes that see the same device agree on it.
std::string pci_bus_id(int device);

}  // namespace fakecuda
