// SPDX-License-Identifier: Apache-2.0
// How ranks wait when the user leaves it to us.
#pragma once

#include "comm/backend.h"
#include "comm/control_plane.h"

namespace collbench {

/// `asked`, but for `automatic`: spin when on every host each rank has a core of its own that it
/// may use, else yield. Collective over the run; the same everywhere.
///
/// With more ranks than cores polling is 200 times slower than yielding, since the kernel takes the
/// core from those who poll only every few milliseconds.
WaitPolicy agree_on_wait_policy(WaitPolicy asked, ControlPlane& control);

}  // namespace collbench
