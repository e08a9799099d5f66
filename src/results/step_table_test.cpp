// SPDX-License-Identifier: Apache-2.0
// Tests of steps as text, to the letter; the numbers are those of results/example_steps.h.
#include "results/step_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "results/balance_table.h"
#include "results/example_steps.h"

namespace collbench {
namespace {

TEST(StepTable, AWholeStep) {
  EXPECT_EQ(step_table(example::step()), R"(#
# zero of llama3-8b: 4 ranks on 2 hosts, tp 2 cp 1 pp 1 dp 2
#   scheme schedule=1f1b zero=fsdp2, compute gemm
#   4 micro-batches of 1 x 8192 tokens per pipeline
  step (ms)                           20.000  +- 1.5 %, 6 samples
    computing (ms)                    16.000  80.0 %
    bubble (ms)                       1.0000  5.0 %
    exposed communication (ms)        3.0000  15.0 %
  communication alone (ms)            8.5000
  overlap efficiency                   0.625  1: all moving of data is hidden, 0: nothing
  stretch                          1.08 1.25  of computing, of communication, in company
  predicted step (ms)                 19.000  -5.0 %, by the links given
  sent per rank (B)              24092082176  equals the closed form
  communicated buffers (B)        1744830464  1.625 GiB
  model states (B)               64242122752  59.83 GiB
  tokens/s                           3276800  all ranks
  wrong elements                           0  of 1000000 checked
#   operation      axis          ranks    message (B) type          per step alone (us) busbw (GB/s)
    all_gather     dp_shard_cp       2      218112000 bfloat16            63    1250.00       87.245
    reduce_scatter dp_shard_cp       2      436224000 float               32        N/A          N/A
)");
}

TEST(StepTable, SaysWhatImbalanceTakes) {
  StepRecord record = example::step();
  record.messages.front().uneven = Uneven{1.5, 1e-3};
  EXPECT_NE(
      step_table(record).find("#     the busiest rank has 1.50 times the mean; divided evenly "
                              "1000.00 us, so that imbalance takes 250.00 us\n"),
      std::string::npos);
  record.messages.front().uneven->even_time_s.reset();
  EXPECT_NE(step_table(record).find("has 1.50 times the mean\n"), std::string::npos);
}

TEST(StepTable, APartOfAModelIsNoStepOfItAndSaysSo) {
  EXPECT_EQ(step_table(example::small_step()), R"(#
# zero of llama3-8b: 4 ranks on 2 hosts, tp 1 cp 1 pp 2 dp 2 vpp 2 replicas 2
#   scheme schedule=1f1b zero=fsdp2, compute gemm
#   4 micro-batches of 1 x 8192 tokens per pipeline
# NOT a whole step, 2 layers of the model, messages and computing divided by 16
# not in it: tokens to experts of other ranks
# across nodes: pp, 2 of 2 groups of 2: 1 MiB of 1 MiB that a rank sends
# wrong: 3 wrong of 1000 elements, the first: rank 1, byte 4: expected 3, found 0
  step (ms)                           20.000  +- 1.5 %, 6 samples
    computing (ms)                    16.000  80.0 %
  communication alone (ms)            8.5000
  sent per rank (B)              24092082176
  communicated buffers (B)        1744830464  1.625 GiB
  model states (B)               64242122752  59.83 GiB
  tokens/s                           3276800  all ranks
  wrong elements                           3  of 1000 checked
#   operation      axis          ranks    message (B) type          per step alone (us) busbw (GB/s)
    reduce_scatter dp_shard_cp       2      436224000 float               32        N/A          N/A
# what axes cost each other: how many times as long each communicates beside
#   axis             alone (ms)             pp   dp_replicate
    pp                   1.0000              -         1.05 ?
    dp_replicate         2.0000           1.50              -
      predicted          1.8000           2.00              -
# ?: within the noise, or too few samples to tell
# loads of experts, which a bias levels: the largest over the mean
#     step   experts     ranks        sent (B)     step (ms)  predicted (ms)
         1     3.500     2.000         4194304        41.000          40.000
         2     2.250     1.500         3145728           N/A          30.000
         3     1.125     1.062         2097152        20.000             N/A
# flags: oversubscribed
)");
}

TEST(BalanceTable, HasNoColumnOfWhatNoStepHas) {
  std::vector<BalancedStep> steps = example::balancing();
  for (BalancedStep& step : steps) step.step.reset();
  EXPECT_EQ(balance_table(steps).find("step (ms)"), std::string::npos);
  EXPECT_NE(balance_table(steps).find("predicted (ms)"), std::string::npos);
  for (BalancedStep& step : steps) step.predicted_s.reset();
  EXPECT_EQ(balance_table(steps).find("predicted (ms)"), std::string::npos);
  EXPECT_EQ(balance_table({}), "");
}

TEST(StepTable, ASkippedStepHasAReasonAndNoNumbers) {
  EXPECT_EQ(step_table(example::skipped_step()), R"(#
# zero of llama3-8b: 8 ranks on 2 hosts, tp 2 cp 1 pp 1 dp 4
#   scheme schedule=1f1b zero=fsdp2, compute gemm
#   4 micro-batches of 1 x 8192 tokens per pipeline
# skipped: 8 ranks are more than the 4 that were started
)");
}

TEST(StepTable, AnotherClosedFormIsSaid) {
  StepRecord record = example::step();
  record.closed_form_sent_bytes = record.sent_bytes - 1000;
  EXPECT_NE(step_table(record).find("closed form, without padding: 24092081176\n"),
            std::string::npos);
  // Padding adds, and not much.
  for (const Bytes formula : {record.sent_bytes + 1000, Bytes{7}}) {
    record.closed_form_sent_bytes = formula;
    EXPECT_NE(step_table(record).find(fmt::format("DIFFERS from the closed form {}\n", formula)),
              std::string::npos);
  }
}

TEST(StepTable, ADeviceThatIsOnlyBusyHasARate) {
  StepRecord record = example::step();
  record.key.compute = "busy";
  record.key.busy_flops = 4e13;
  EXPECT_NE(step_table(record).find(", compute busy at 40 TFLOP/s\n"), std::string::npos);
}

TEST(StepTable, LinesFitAHundredColumns) {
  std::istringstream lines(step_table(example::step()) + step_table(example::small_step()));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(StepTable, ScalingByDegree) {
  EXPECT_EQ(scaling_table(example::scaling_report()), R"(#
# strong scaling over dp; efficiency is throughput / (ranks x that of 2 ranks)
#       dp   ranks     step (ms)      tokens/s  efficiency    marginal     exposed
         1       2        44.000       1489455       1.000         N/A         N/A
         2       4        20.000       3276800       1.100       1.100       0.150  superlinear: look at the base
# dp 4, 8 ranks: left out: 8 ranks are more than the 4 that were started
)");
}

}  // namespace
}  // namespace collbench
