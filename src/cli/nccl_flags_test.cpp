// SPDX-License-Identifier: Apache-2.0
#include "cli/nccl_flags.h"

#include <gtest/gtest.h>

#include "cli/test_parsing.h"

namespace collbench {
namespace {

NcclUse use_of(const std::vector<std::string>& arguments) {
  return parse(arguments).options.gpu.nccl;
}

TEST(NcclFlags, NothingIsAskedForByDefault) { EXPECT_EQ(use_of({}), NcclUse{}); }

TEST(NcclFlags, RegisteredBuffersAreNcclsUnlessSaidOtherwise) {
  EXPECT_EQ(use_of({"-R", "1"}).registration, Registration::buffers);
  EXPECT_EQ(use_of({"-R", "1"}).allocator, Allocator::library);
  EXPECT_EQ(use_of({"-R", "1", "--buffers", "malloc"}).allocator, Allocator::runtime);
  EXPECT_EQ(use_of({"-R", "2"}).registration, Registration::windows);
  EXPECT_EQ(use_of({"-R", "0"}).allocator, Allocator::runtime);
  EXPECT_EQ(use_of({"--buffers", "ncclmem"}).allocator, Allocator::library);
  EXPECT_TRUE(error_of({"-R", "2", "--buffers", "malloc"}).starts_with("-R 2: "));
}

TEST(NcclFlags, FieldsOfTheConfigurationGoByTheirNames) {
  const NcclConfig expected = {{"minCTAs", "2"}, {"maxCTAs", "8"}, {"netName", "Socket"}};
  EXPECT_EQ(
      use_of({"--nccl-config", "minCTAs=2,netName=Socket", "--nccl-config", "maxCTAs=08"}).config,
      expected);
  EXPECT_EQ(use_of({"-x", "2"}).config, (NcclConfig{{"CTAPolicy", "2"}}));
  EXPECT_EQ(use_of({"--nccl-config", "blocking=1"}).config, (NcclConfig{{"blocking", "1"}}));
}

TEST(NcclFlags, EveryFieldCanBeSet) {
  for (const NcclFieldRow& field : kNcclFields) {
    const std::string name(field.name);
    EXPECT_EQ(use_of({"--nccl-config", name + "=1"}).config, (NcclConfig{{name, "1"}}));
  }
}

TEST(NcclFlags, WhatCannotBeMeantIsRefusedWithItsReason) {
  const std::vector<std::vector<std::string>> refused = {
      {"-R", "3"},
      {"-x", "3"},
      {"--buffers", "pinned"},
      {"--alltoall", "ring"},
      {"--nccl-config", "minCTAs"},
      {"--nccl-config", "minctas=1"},
      {"--nccl-config", "minCTAs=few"},
      {"--nccl-config", "minCTAs=2147483648"},
      {"--nccl-config", "netName="},
      {"--nccl-config", "blocking=0"},
      {"--nccl-config", "minCTAs=1,minCTAs=2"},
      {"-x", "1", "--nccl-config", "CTAPolicy=1"},
  };
  for (const auto& arguments : refused) {
    const std::string error = error_of(arguments);
    EXPECT_TRUE(error.starts_with(arguments[0])) << arguments[0] << ": " << error;
  }
}

TEST(NcclFlags, HostsHaveNoneOfIt) {
  const std::vector<std::vector<std::string>> gpu_flags = {
      {"-R", "1"}, {"--buffers", "ncclmem"}, {"-x", "2"}, {"--nccl-config", "minCTAs=1"}};
  for (std::vector<std::string> arguments : gpu_flags) {
    EXPECT_TRUE(parse(arguments).options.gpu.only_on_gpus.starts_with(arguments[0]));
    arguments.insert(arguments.end(), {"--backend", "mpi"});
    EXPECT_TRUE(error_of(arguments).starts_with(arguments[0]));
  }
  EXPECT_EQ(error_of({"--backend", "mpi", "-R", "0", "-x", "0", "--buffers", "malloc", "--alltoall",
                      "p2p"}),
            "");
}

TEST(NcclFlags, NativeCallsAreThoseOfThreeCollectives) {
  const auto command = parse_collective_command({"--alltoall", "native"}, traffic::gather);
  EXPECT_EQ(command.options.gpu.nccl.exchanges, ExchangeCalls::native);
  EXPECT_TRUE(error_of({"--alltoall", "native"}).starts_with("--alltoall native: all_reduce "));
  EXPECT_THROW(parse_collective_command({"--alltoall", "native"}, traffic::alltoallv), UserError);
}

}  // namespace
}  // namespace collbench
