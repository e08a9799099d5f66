// SPDX-License-Identifier: Apache-2.0
#include "cli/gpu_flags.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/errors.h"
#include "cli/numbers.h"

namespace collbench {
namespace {

struct GpuFlag {
  std::string_view letter;
  std::string_view name;
  std::uint64_t off;          // the value that asks for nothing
  std::string_view help;      // empty: only known so that it can be refused
  std::string_view on_hosts;  // why it has no meaning there
  std::string_view on_gpus;   // likewise; empty where it has one
};

constexpr std::string_view kOneRank =
    "on hosts every rank is a process of one thread; start more ranks with mpirun -np N";
constexpr std::string_view kNoDeviceApi =
    "it measures kernels that call NCCL themselves, and collbench calls NCCL from the host";

constexpr std::array<GpuFlag, 8> kFlags = {{
    {"-t", "--nthreads", 1, "rank threads of a process (default 1)", kOneRank, ""},
    {"-g", "--ngpus", 1, "GPUs of a thread: each is a rank with a thread of its own (default 1)",
     kOneRank, ""},
    {"-p", "--parallel_init", 0, "1: ranks of a process start at once, as they always do here",
     "it lets the threads of a process start at once, and hosts have one", ""},
    {"-y", "--stream_null", 0, "1: use the default stream",
     "the null stream is one of CUDA, and hosts have none", ""},
    {"-G", "--cudagraph", 0, "record the operations of a sample once and replay them so often",
     "graphs are captured by CUDA, and hosts have none", ""},
    {"-M", "--memory", 0, "1: say what the run has taken of the GPUs' memory",
     "it reports the memory of GPUs, and hosts have none; see --dry-run", ""},
    {"-D", "--device_implementation", 0, "", "it runs kernels on the GPU, and hosts have none",
     kNoDeviceApi},
    {"-V", "--device_cta_count", 16, "", "it sizes the kernels of -D, and hosts have none",
     kNoDeviceApi},
}};

constexpr std::string_view kHeading = "GPUs (of the nccl backend)";

constexpr std::uint64_t kMostRanks = 1024;  // of a process

// So many that operations times launches fit into 64 bits.
constexpr std::uint64_t kMostLaunches = 1'000'000;

}  // namespace

void GpuFlags::declare(CommandLine& line) {
  line.heading(std::string(kHeading));
  for (const GpuFlag& flag : kFlags) {
    if (!flag.help.empty()) declare(line, flag.letter, flag.name, flag.help);
  }
  nccl_.declare(line);
  line.hidden();
  std::string letters;
  for (const GpuFlag& flag : kFlags) {
    if (!flag.help.empty()) continue;
    declare(line, flag.letter, flag.name, "");
    if (flag.off == 0) letters += fmt::format(" {}", flag.letter);
  }
  line.note(
      fmt::format("Of nccl-tests' flags, these are taken only if they ask for nothing: 0 "
                  "for{}.",
                  letters));
}

void GpuFlags::declare_ranks(CommandLine& line) {
  line.heading(std::string(kHeading));
  for (const GpuFlag& flag : kFlags) {
    const bool says_ranks = flag.letter == "-t" || flag.letter == "-g";
    if (says_ranks) declare(line, flag.letter, flag.name, flag.help);
  }
}

void GpuFlags::declare(CommandLine& line, std::string_view letter, std::string_view name,
                       std::string_view help) {
  line.value(fmt::format("{},{}", letter, name), values_[std::string(letter)], std::string(help));
}

std::optional<std::string> GpuFlags::text_of(std::string_view letter) const {
  const auto found = values_.find(std::string(letter));
  return found == values_.end() ? std::nullopt : found->second;
}

void GpuFlags::refuse_unknown_to_all(std::string_view letter, std::string_view why) const {
  throw UserError(fmt::format("{} {}: {}", letter, *text_of(letter), why));
}

int GpuFlags::ranks(std::string_view letter) const {
  return static_cast<int>(parse_count(text_of(letter).value_or("1"), letter, 1, kMostRanks));
}

GpuChoice GpuFlags::read() const {
  GpuChoice choice;
  for (const GpuFlag& flag : kFlags) {
    const auto text = text_of(flag.letter);
    if (!text || parse_count(*text, flag.letter, flag.off == 1 ? 1 : 0) == flag.off) continue;
    if (!flag.on_gpus.empty()) refuse_unknown_to_all(flag.letter, flag.on_gpus);
    if (!choice.only_on_gpus.empty()) continue;
    choice.only_on_gpus = fmt::format("{} {}: {}", flag.letter, *text, flag.on_hosts);
  }
  choice.threads = ranks("-t");
  choice.gpus_per_thread = ranks("-g");
  if (choice.threads * choice.gpus_per_thread > static_cast<int>(kMostRanks)) {
    throw UserError(fmt::format("-t {} -g {}: a process has {} ranks at most; start more processes",
                                choice.threads, choice.gpus_per_thread, kMostRanks));
  }
  parse_switch(text_of("-p").value_or("0"), "-p");
  choice.default_stream = parse_switch(text_of("-y").value_or("0"), "-y");
  choice.show_memory = parse_switch(text_of("-M").value_or("0"), "-M");
  choice.nccl = nccl_.read(choice.only_on_gpus);
  choice.graph_launches = parse_count(text_of("-G").value_or("0"), "-G", 0, kMostLaunches);
  return choice;
}

}  // namespace collbench
