// SPDX-License-Identifier: Apache-2.0
#include "cli/gpu_flags.h"

#include <gtest/gtest.h>

#include "cli/test_parsing.h"

namespace collbench {
namespace {

TEST(GpuFlags, WhatOnlyGpusCanDoIsRefusedOnHostsWithItsReason) {
  const std::vector<std::vector<std::string>> gpu_flags = {
      {"-t", "2"}, {"-g", "8"}, {"-p", "1"}, {"-y", "1"}, {"-G", "1"}};
  for (std::vector<std::string> arguments : gpu_flags) {
    const std::string later = parse(arguments).options.gpu.only_on_gpus;
    EXPECT_TRUE(later.starts_with(arguments[0] + " " + arguments[1] + ": ")) << later;
    arguments.insert(arguments.end(), {"--backend", "mpi"});
    EXPECT_EQ(error_of(arguments), later);
  }
  EXPECT_NE(error_of({"--backend=mpi", "--ngpus", "4"}).find("mpirun"), std::string::npos);
  EXPECT_NE(error_of({"--backend=mpi", "--cudagraph=1"}).find("CUDA"), std::string::npos);
}

TEST(GpuFlags, RanksOfAProcessAreThreadsTimesGpus) {
  const GpuChoice gpu = parse({"-t", "2", "-g", "4", "-y", "1"}).options.gpu;
  EXPECT_EQ(gpu.ranks_per_process(), 8);
  EXPECT_TRUE(gpu.default_stream);
  EXPECT_EQ(parse({"-G", "3"}).options.gpu.graph_launches, 3);
  EXPECT_EQ(parse({"-G", "3"}).options.sampling.method.mode, Mode::graph);
  EXPECT_EQ(parse({}).options.gpu.ranks_per_process(), 1);
  EXPECT_EQ(parse({}).options.gpu.only_on_gpus, "");
}

TEST(GpuFlags, WhatNoBackendDoesIsRefusedWithItsReason) {
  const std::vector<std::vector<std::string>> refused = {
      {"-R", "3"}, {"-x", "3"},   {"-M", "2"},    {"-D", "1"}, {"-V", "32"},
      {"-g", "0"}, {"-t", "two"}, {"-g", "2000"}, {"-y", "2"}, {"-G", "-1"},
  };
  for (const auto& arguments : refused) {
    const std::string error = error_of(arguments);
    EXPECT_TRUE(error.starts_with(arguments[0])) << arguments[0] << ": " << error;
    EXPECT_NE(error.find(arguments[1]), std::string::npos) << error;
  }
  for (const char* with_graphs : {"-z1", "-C1", "-I1", "-y1"}) {
    EXPECT_TRUE(error_of({"-G", "1", with_graphs}).starts_with("-G: ")) << with_graphs;
  }
  EXPECT_TRUE(error_of({"-t", "32", "-g", "33"}).starts_with("-t 32 -g 33: "));
  EXPECT_NE(error_of({"-G", "1000001"}), "");
}

TEST(GpuFlags, WhatAsksGpusForNothingIsTaken) {
  EXPECT_EQ(error_of({"-t", "1", "-g", "1", "-p", "0", "-y", "0", "-G", "0",
                      "-R", "0", "-x", "0", "-M", "0", "-D", "0", "-V", "16"}),
            "");
}

}  // namespace
}  // namespace collbench
