// SPDX-License-Identifier: Apache-2.0
// The kernels of the nccl backend, compiled for the host.
#include <vector>

#include "bind.h"
// Device code, which needs what is above.
#include "comm/nccl/kernels.cuh"

namespace fakecuda {
namespace {

using namespace collbench::gpu;

template <unsigned kElementBytes>
void add_kernels(std::vector<KernelRow>& rows) {
  rows.push_back(row<&write_rotations<kElementBytes>>());
  rows.push_back(row<&fill_tensor<kElementBytes>>());
  rows.push_back(row<&check_tensor<kElementBytes>>());
  rows.push_back(row<&log_check<kElementBytes>>());
}

std::vector<KernelRow> all_rows() {
  std::vector<KernelRow> rows = {row<&keep_busy>()};
  add_kernels<1>(rows);
  add_kernels<2>(rows);
  add_kernels<4>(rows);
  add_kernels<8>(rows);
  return rows;
}

}  // namespace

}  // namespace fakecuda

const fakecuda::KernelRow* fake_kernels(std::size_t* count) {
  static const auto& rows = *new std::vector<fakecuda::KernelRow>(fakecuda::all_rows());
  *count = rows.size();
  return rows.data();
}
