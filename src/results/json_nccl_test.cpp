// SPDX-License-Identifier: Apache-2.0
// What runs on GPUs and across nodes say beyond others, through a file and back.
#include <gtest/gtest.h>

#include "results/example_document.h"
#include "results/json.h"
#include "results/table.h"

namespace collbench {
namespace {

Document example_of_gpus() {
  Document document = example::ended();
  document.config.nics_per_node = 4;
  document.config.nccl = {.buffers = "ncclmem",
                          .registration = "windows",
                          .exchanges = "native",
                          .fields = {{"CTAPolicy", "2"}, {"netName", "Socket"}}};
  document.gpu_memory = {
      .communicators_bytes = 1ULL << 30, .buffers_bytes = 128, .operations_bytes = 3ULL << 30};
  document.rows = {example::measured(false), example::measured(true)};
  document.rows[0].nic_Bps = 12.5e9;
  return document;
}

TEST(JsonNccl, EverythingComesBack) {
  const Document document = example_of_gpus();
  EXPECT_EQ(document_from_json(to_json(document), "FILE"), document);
}

TEST(JsonNccl, WhatIsAsUsualIsLeftOut) {
  const std::string text = to_json(example::ended());
  for (const char* name : {"\"nccl\"", "\"gpu_memory\"", "\"nics_per_node\"", "\"nic_GBps\""}) {
    EXPECT_EQ(text.find(name), std::string::npos) << name;
  }
}

TEST(JsonNccl, TheTableSaysIt) {
  const std::string footer = table_footer(example_of_gpus(), {});
  EXPECT_NE(footer.find("# GPU memory usage     : Initialization 1 GiB | User-Allocated 128 B | "
                        "Collective 3 GiB | Total 4 GiB\n"),
            std::string::npos)
      << footer;
  EXPECT_NE(footer.find("# Peak NIC rate        : 12.5 at 8 B out of place (each of 4 of a node, "
                        "one direction, at least)\n"),
            std::string::npos)
      << footer;
}

}  // namespace
}  // namespace collbench
