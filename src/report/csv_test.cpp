// SPDX-License-Identifier: Apache-2.0
#include "report/csv.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "results/example_steps.h"

namespace collbench {
namespace {

TEST(Csv, OneLinePerRowUnderNamesWithUnits) {
  Document document = example::started();
  document.rows = {example::measured(false), example::skipped()};
  EXPECT_EQ(
      csv_header(),
      "run,started,collective,type,op,message_bytes,count,ranks,nodes,root,in_place,backend,"
      "mode,aggregation,matrix,split,group,requested_bytes,status,time_us,ci95_low_us,"
      "ci95_high_us,samples,operations_per_sample,algbw_GBps,busbw_GBps,nic_GBps,wrong_elements,"
      "flags,reason,cycle\n");
  EXPECT_EQ(
      csv_rows(document),
      "00112233445566778899aabbccddeeff,2026-03-01T12:00:00Z,all_reduce,float,sum,8,2,2,2,,"
      "false,mpi,streaming,max,,,,11,ok,285.215,281,300,6,64,2.80495e-05,2.80495e-05,,0,,,\n"
      "00112233445566778899aabbccddeeff,2026-03-01T12:00:00Z,all_gather,bfloat16,,0,0,2,2,,"
      "false,mpi,streaming,max,,,,11,skipped,,,,,,,,,,,8 bytes are less than one 16-byte block "
      "for each of 2 ranks,\n");
}

TEST(Csv, WhatWouldBreakALineIsQuoted) {
  Document document = example::started();
  document.rows = {example::wrong()};
  document.rows[0].reason = "say \"no\", or\nnot";
  document.rows[0].flags = {"drift", "outliers"};
  const std::string line = csv_rows(document);
  EXPECT_TRUE(line.ends_with(",3,drift outliers,\"say \"\"no\"\", or\nnot\",\n")) << line;
}

TEST(Csv, LaterCyclesOfASoakHaveTheirLines) {
  Document document = example::started();
  document.rows = {example::measured(false)};
  const double median_s = document.rows[0].timing->median_s;
  document.cycles = {{.cycle = 1, .started = "", .row = 0, .median_s = median_s},
                     {.cycle = 2, .started = "", .row = 0, .median_s = 2 * median_s}};
  document.cycles[1].wrong_elements = 0;
  const std::string text = csv_rows(document);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_TRUE(text.ends_with(",11,ok,570.43,,,,64,1.402475e-05,1.402475e-05,,0,,,2\n")) << text;
}

TEST(Csv, StepsHaveColumnsOfTheirOwn) {
  EXPECT_EQ(csv_step_header(),
            "run,started,pattern,model,scheme,tp,cp,ep,etp,dp,replicas,pp,vpp,order,stage_layers,m"
            "icro_batch,micro_batches,sequence_tokens,sequence_parallel,recompute,activations,para"
            "meters,gradients,ranks,nodes,backend,compute,layers,shrink,status,step_us,ci95_low_us"
            ",ci95_high_us,samples,computing_us,skeleton_us,communication_us,bubble_us,exposed_us,"
            "exposed_share,overlap_efficiency,tokens_per_s,predicted_us,sent_bytes,closed_form_sen"
            "t_bytes,slot_bytes,model_bytes,tokens,flops,wrong_elements,flags,reason\n");
  EXPECT_EQ(csv_steps(example::pattern()),
            "00112233445566778899aabbccddeeff,2026-03-01T12:00:00Z,zero,llama3-8b,schedule=1f1b ze"
            "ro=fsdp2,2,1,1,,2,1,1,1,tp-cp-ep-dp-pp,,1,4,8192,true,none,bfloat16,bfloat16,float,4,"
            "2,mpi,gemm,,,ok,20000,19800,20400,6,16000,17000,8500,1000,3000,0.15,0.625,3276800,190"
            "00,24092082176,24092082176,1744830464,64242122752,65536,3500000000000000,0,,\n"
            "00112233445566778899aabbccddeeff,2026-03-01T12:00:00Z,zero,llama3-8b,schedule=1f1b ze"
            "ro=fsdp2,1,1,1,1,2,2,2,2,tp-cp-ep-dp-pp,1 0 0 1,1,4,8192,true,none,bfloat16,bfloat16,"
            "float,4,2,mpi,gemm,2,16,wrong,20000,19800,20400,6,16000,,8500,,,,,3276800,,2409208217"
            "6,,1744830464,64242122752,65536,3500000000000000,3,oversubscribed,\"3 wrong of 1000 e"
            "lements, the first: rank 1, byte 4: expected 3, found 0\"\n"
            "00112233445566778899aabbccddeeff,2026-03-01T12:00:00Z,zero,llama3-8b,schedule=1f1b ze"
            "ro=fsdp2,2,1,1,,4,1,1,1,tp-cp-ep-dp-pp,,1,4,8192,true,none,bfloat16,bfloat16,float,8,"
            "2,mpi,gemm,,,skipped,,,,,,,,,,,,,,0,,0,0,0,0,,,8 ranks are more than the 4 that were "
            "started\n");
}

}  // namespace
}  // namespace collbench
