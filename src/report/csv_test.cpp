// SPDX-License-Identifier: Apache-2.0
#include "report/csv.h"

#include <gtest/gtest.h>

#include "results/example_document.h"

namespace collbench {
namespace {

TEST(Csv, OneLinePerRowUnderNamesWithUnits) {
  Document document = example::started();
  document.rows = {example::measured(false), example::skipped()};
  EXPECT_EQ(csv_header(),
            "run,started,collective,type,op,message_bytes,count,ranks,nodes,root,in_place,backend,"
            "mode,aggregation,matrix,split,group,requested_bytes,status,time_us,ci95_low_us,"
            "ci95_high_us,samples,operations_per_sample,algbw_GBps,busbw_GBps,wrong_elements,flags,"
            "reason\n");
  EXPECT_EQ(
      csv_rows(document),
      "00112233445566778899aabbccddeeff,2026-03-01T12:00:00Z,all_reduce,float,sum,8,2,2,2,,"
      "false,mpi,streaming,max,,,,11,ok,285.215,281,300,6,64,2.80495e-05,2.80495e-05,0,,\n"
      "00112233445566778899aabbccddeeff,2026-03-01T12:00:00Z,all_gather,bfloat16,,0,0,2,2,,"
      "false,mpi,streaming,max,,,,11,skipped,,,,,,,,,,8 bytes are less than one 16-byte block "
      "for each of 2 ranks\n");
}

TEST(Csv, WhatWouldBreakALineIsQuoted) {
  Document document = example::started();
  document.rows = {example::wrong()};
  document.rows[0].reason = "say \"no\", or\nnot";
  document.rows[0].flags = {"drift", "outliers"};
  const std::string line = csv_rows(document);
  EXPECT_TRUE(line.ends_with(",3,drift outliers,\"say \"\"no\"\", or\nnot\"\n")) << line;
}

}  // namespace
}  // namespace collbench
