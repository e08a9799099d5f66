// SPDX-License-Identifier: Apache-2.0
// What the other fakes use of the fake CUDA runtime: memory, streams and time.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

namespace fakecuda {

/// The readable and writable alias of device memory [device, device + bytes); nullptr when it is
/// not wholly inside one live allocation of device memory.
std::byte* alias(const void* device, std::size_t bytes);

/// Of the calling thread.
int current_device();

/// The device that a stream was made on; of NULL, the current one; -1 for what is no stream.
int device_of(cudaStream_t stream);

/// Time of a stream while an item runs, in seconds. Under the real clock it is the steady clock's
/// and what is written is ignored. Under virtual time `end_s` is preset to `start_s`, and an item
/// that takes time sets it.
struct ItemTime {
  double start_s;
  double end_s;
};

/// Work of a stream. It may block, which holds up this stream only, as on a GPU, and may run
/// several times when it was captured into a graph.
using Work = std::function<void(ItemTime&)>;

/// Appends work to a stream, or to the graph that the stream is being captured into. Returns what
/// a capture or the stream's state refuses, else cudaSuccess.
cudaError_t enqueue(cudaStream_t stream, Work work);

/// Whether work enqueued now becomes a node of a graph.
bool is_capturing(cudaStream_t stream);

/// Makes the stream wait until `other` has done all that was enqueued so far, as an event between
/// them would; it joins captures as such an event does.
cudaError_t order_after(cudaStream_t stream, cudaStream_t other);

/// FAKE_CUDA_VTIME=1: clocks show what the model says and not what this machine takes.
bool virtual_time();

/// The calling thread's host clock, in seconds: the virtual one, which starts at 0, or the steady
/// one.
double host_now_s();

/// Sets a virtual host clock that is behind to `time_s`; does nothing to the real one.
void host_advance_to_s(double time_s);

}  // namespace fakecuda

/// host_now_s() for programs that look it up by name and take it as their clock.
extern "C" double collbench_clock_now_s();
