// SPDX-License-Identifier: Apache-2.0
#include "cli/gpu_flags.h"

#include <fmt/format.h>

#include <string_view>

#include "base/errors.h"
#include "cli/numbers.h"

namespace collbench {
namespace {

struct GpuFlag {
  std::string_view letter;
  std::string_view name;
  std::uint64_t off;  // the value that asks for nothing
  std::string_view why;
};

constexpr std::string_view kOneRank =
    "on hosts every rank is a process of one thread; start more ranks with mpirun -np N";

constexpr std::array<GpuFlag, 10> kFlags = {{
    {"-t", "--nthreads", 1, kOneRank},
    {"-g", "--ngpus", 1, kOneRank},
    {"-p", "--parallel_init", 0,
     "it lets the threads of a process start at once, and hosts have one"},
    {"-y", "--stream_null", 0, "the null stream is one of CUDA, and hosts have none"},
    {"-G", "--cudagraph", 0, "graphs are captured by CUDA, and hosts have none"},
    {"-R", "--local_register", 0, "buffers are registered with NCCL, and hosts do without it"},
    {"-x", "--cta_policy", 0, "it chooses how many CTAs NCCL uses, and hosts have none"},
    {"-M", "--memory", 0, "it reports the memory of GPUs, and hosts have none; see --dry-run"},
    {"-D", "--device_implementation", 0, "it runs kernels on the GPU, and hosts have none"},
    {"-V", "--device_cta_count", 16, "it sizes the kernels of -D, and hosts have none"},
}};

}  // namespace

void GpuFlags::declare(CommandLine& line) {
  static_assert(kFlags.size() == kCount);
  line.hidden();
  std::string letters;
  for (std::size_t i = 0; i < kCount; ++i) {
    line.value(fmt::format("{},{}", kFlags[i].letter, kFlags[i].name), values_[i], "");
    if (kFlags[i].off == 0) letters += fmt::format(" {}", kFlags[i].letter);
  }
  line.note(
      fmt::format("Of nccl-tests' flags, these are for GPUs and taken only if they ask for "
                  "nothing: -t 1, -g 1, "
                  "and 0 for{}.",
                  letters));
}

void GpuFlags::refuse_meaningless() const {
  for (std::size_t i = 0; i < kCount; ++i) {
    const GpuFlag& flag = kFlags[i];
    if (!values_[i] || parse_count(*values_[i], flag.letter, flag.off) == flag.off) continue;
    throw UserError(fmt::format("{} {}: {}", flag.letter, *values_[i], flag.why));
  }
}

}  // namespace collbench
