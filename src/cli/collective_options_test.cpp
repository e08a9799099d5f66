// SPDX-License-Identifier: Apache-2.0
#include "cli/collective_options.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "base/named_rows.h"
#include "cli/test_parsing.h"

namespace collbench {
namespace {

TEST(CollectiveOptions, DefaultsAreThoseOfNcclTests) {
  const CollectiveOptions options = parse({}).options;
  EXPECT_EQ(options.sweep.min_bytes, 32ULL << 20);
  EXPECT_EQ(options.sweep.max_bytes, 32ULL << 20);
  EXPECT_EQ(options.sweep.step_bytes, 1ULL << 20);
  EXPECT_EQ(options.sweep.factor, 1U);
  EXPECT_EQ(options.types, std::vector{DataType::float32});
  EXPECT_EQ(options.ops, std::vector{ReduceOp::sum});
  EXPECT_EQ(options.check_iterations, 1U);
  EXPECT_FALSE(options.sampling.iterations);
  EXPECT_FALSE(options.sampling.warmup);
  EXPECT_EQ(options.timeout_s, 120);
}

TEST(CollectiveOptions, ReadsShortAndLongFlags) {
  const CollectiveOptions options =
      parse({"-b",        "8",           "-e",       "1K",     "--stepfactor=2",
             "-n",        "3",           "-w",       "0",      "-c",
             "2",         "-d",          "bfloat16", "-o",     "avg",
             "-J",        "x.json",      "-T",       "1.5",    "--force",
             "--dry-run", "--backend",   "mpi",      "--wait", "sleep",
             "--samples", "7",           "-a",       "1",      "--start-timeout",
             "9",         "--min-busbw", "512=3"})
          .options;
  EXPECT_EQ(options.sweep.min_bytes, 8U);
  EXPECT_EQ(options.sweep.max_bytes, 1024U);
  EXPECT_EQ(options.sweep.factor, 2U);
  EXPECT_EQ(options.sampling.iterations, 3U);
  EXPECT_EQ(options.sampling.warmup, 0U);
  EXPECT_EQ(options.check_iterations, 2U);
  EXPECT_EQ(options.types, std::vector{DataType::bfloat16});
  EXPECT_EQ(options.ops, std::vector{ReduceOp::avg});
  EXPECT_EQ(options.json_path, "x.json");
  EXPECT_EQ(options.timeout_s, 1.5);
  EXPECT_TRUE(options.force);
  EXPECT_TRUE(options.dry_run);
  EXPECT_EQ(options.backend, BackendChoice::mpi);
  EXPECT_EQ(options.wait, WaitPolicy::sleep);
  EXPECT_EQ(options.sampling.samples, 7U);
  EXPECT_EQ(options.sampling.method.aggregation, Aggregation::mean);
  EXPECT_EQ(options.start_timeout_s, 9);
  EXPECT_EQ(options.min_bus_bandwidth, (std::vector<SizeThreshold>{{512, 3e9}}));
}

TEST(CollectiveOptions, RefusesWhatCannotBeMeantAndNamesIt) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--bogus"}, "--bogus"},
      {{"-q"}, "-q"},
      {{"extra"}, "extra"},
      {{"-b"}, "--minbytes"},
      {{"-b", ""}, "-b"},
      {{"-b", "abc"}, "abc"},
      {{"-b", "-8"}, "-8"},
      {{"-r", "-1"}, "for every rank as root give -r all"},
      {{"-b", "64", "-e", "8"}, "-b 64"},
      {{"-b", "0"}, "-b"},
      {{"-i", "0"}, "-i"},
      {{"-f", "1"}, "-f"},
      {{"-f", "1.5"}, "-f"},
      {{"-f", "-1"}, "-1"},
      {{"-f", "2", "-i", "8"}, "-i and -f"},
      {{"-n", "0"}, "-n"},
      {{"-n", "abc"}, "abc"},
      {{"-n", "-3"}, "-3"},
      {{"-n", "3", "-n", "4"}, "--iters"},
      {{"-n", "99999999999999999999"}, "-n"},
      {{"-w", "1.5"}, "-w"},
      {{"-a", "4"}, "-a: '4' is no choice; give 0 (rank 0), 1 (mean)"},
      {{"-a", "mean"}, "-a"},
      {{"-m", "0"}, "-m: '0' is not a whole number of at least 1"},
      {{"-u", "x"}, "-u"},
      {{"-C", "2"}, "-C: '2' is no choice; give 0 (no) or 1 (yes)"},
      {{"-I", "yes"}, "-I"},
      {{"-K", "3"}, "-K: it leaves out single iterations, which are timed with -I 1 only"},
      {{"-I", "1", "-K", "5", "-n", "5"}, "-K 5: it leaves nothing of the 5 iterations"},
      {{"-I", "1", "-K", "20"}, "-K 20: it leaves nothing of at least 20 iterations"},
      {{"-N", "0"}, "or how long, as --duration 2h"},
      {{"--duration", "0"}, "--duration: '0' is no time"},
      {{"--duration", "0s"}, "--duration: '0s' is no time"},
      {{"--duration", "2"}, "give it with its unit, as 90s, 30m or 2h"},
      {{"--duration", "abc"}, "--duration: 'abc' is no time"},
      {{"--duration", "s"}, "--duration: 's' is no time"},
      {{"--duration", ""}, "--duration"},
      {{"--duration", "1h30m"}, "--duration: '1h30m' is no time"},
      {{"--duration", "1000001h"}, "--duration: '1000001h' is no time"},
      {{"--duration", "2s", "-N", "1"}, "-N and --duration: both say when to stop"},
      {{"-N", "1.5"}, "-N"},
      {{"-z", "4"}, "-z: '4' is no choice; give 0 (operations back to back), 1 or 3 (each alone"},
      {{"-z", "1", "-n", "3", "--samples", "3"}, "-n and --samples"},
      {{"-a", ""}, "-a"},
      {{"-c", "x"}, "-c"},
      {{"-d", "quad"}, "quad"},
      {{"-o", "xor"}, "xor"},
      {{"-T", "nan"}, "-T"},
      {{"-T", "inf"}, "-T"},
      {{"--backend", "gloo"}, "gloo"},
      {{"--wait", "hard"}, "hard"},
      {{"--samples", "0"}, "--samples"},
      {{"-J", ""}, "-J"},
      {{"-J", "--dry-run"}, "-J: its value is missing: --dry-run is a flag"},
      {{"-n", "-w", "3"}, "-n: its value is missing: -w is a flag"},
      {{"-b", "64M"}, "-b 64M: the last size, -e, is 32 MiB by default"},
      {{"-e", "8"}, "-e 8: the first size, -b, is 32 MiB by default"},
      {{"--split", ""}, "--split"},
      {{"--split", "MOD 0"}, "MOD 0"},
      {{"--split", "2"}, "--split"},
      {{"--min-busbw", "1M"}, "--min-busbw"},
      {{"-b", "1K", "-e", "1K", "--min-busbw", "1M=1"}, "1048576 B is no size"},
  };
  for (const auto& [arguments, named] : cases) {
    const std::string error = error_of(arguments);
    EXPECT_NE(error.find(named), std::string::npos) << arguments[0] << ": " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(CollectiveOptions, NcclCompatGivesNcclTestsDefaultsUnlessTheyAreGiven) {
  const CollectiveOptions plain = parse({"--nccl-compat"}).options;
  EXPECT_TRUE(plain.table.nccl_compat);
  EXPECT_EQ(plain.sampling.iterations, 20U);
  EXPECT_EQ(plain.sampling.warmup, 1U);
  EXPECT_EQ(plain.sampling.method.aggregation, Aggregation::mean);
  const CollectiveOptions given = parse({"-n", "5", "-w", "0", "-a", "2", "--nccl-compat"}).options;
  EXPECT_EQ(given.sampling.iterations, 5U);
  EXPECT_EQ(given.sampling.warmup, 0U);
  EXPECT_EQ(given.sampling.method.aggregation, Aggregation::min);
  EXPECT_NE(error_of({"--stats", "--nccl-compat"}).find("--nccl-compat"), std::string::npos);
}

TEST(CollectiveOptions, TimestampsAreSwitchedAsInNcclTests) {
  EXPECT_TRUE(parse({"-S", "1"}).options.table.timestamps);
  EXPECT_FALSE(parse({"--report_timestamps", "0"}).options.table.timestamps);
  EXPECT_EQ(error_of({"-S", "yes"}), "-S: 'yes' is neither 0 nor 1");
}

TEST(CollectiveOptions, ProgressIsOneOfItsKinds) {
  EXPECT_EQ(parse({"--progress", "bar"}).options.table.progress, ProgressChoice::bar);
  EXPECT_EQ(parse({}).options.table.progress, ProgressChoice::automatic);
  EXPECT_NE(error_of({"--progress", "much"}).find("auto, bar, plain, none"), std::string::npos);
}

TEST(CollectiveOptions, AMistypedFlagNamesTheOneThatIsMeant) {
  EXPECT_EQ(error_of({"--minbites", "8"}), "unknown flag '--minbites'; is --minbytes meant?");
  EXPECT_EQ(error_of({"--iter=8"}), "unknown flag '--iter=8'; is --iters meant?");
  EXPECT_EQ(error_of({"--bogus"}), "unknown flag '--bogus'; see --help for the flags there are");
}

TEST(CollectiveOptions, ReadsHowOperationsAreTimed) {
  const SamplingChoice choice =
      parse({"-m", "4", "-u", "3", "-C", "1", "-I", "1", "-K", "19", "-N", "2"}).options.sampling;
  EXPECT_EQ(choice.method.grouped_operations, 4U);
  EXPECT_EQ(choice.method.offset_elements, 3U);
  EXPECT_TRUE(choice.method.enqueue_time);
  EXPECT_TRUE(choice.method.iteration_times);
  EXPECT_EQ(choice.method.skipped_iterations, 19U);
  EXPECT_EQ(choice.cycles, 2U);
}

TEST(CollectiveOptions, ADurationHasItsUnit) {
  const auto seconds = [](const char* text) {
    return parse({"--duration", text}).options.sampling.duration_s;
  };
  EXPECT_EQ(seconds("90s"), 90);
  EXPECT_EQ(seconds("30m"), 1800);
  EXPECT_EQ(seconds("2h"), 7200);
  EXPECT_EQ(parse({}).options.sampling.duration_s, std::nullopt);
}

TEST(CollectiveOptions, OneAndThreeAlignOperationsThatTwoDoesNot) {
  const auto mode = [](const char* choice) {
    return parse({"-z", choice}).options.sampling.method.mode;
  };
  EXPECT_EQ(mode("0"), Mode::streaming);
  EXPECT_EQ(mode("1"), Mode::isolated);
  EXPECT_EQ(mode("2"), Mode::isolated_unaligned);
  EXPECT_EQ(mode("3"), Mode::isolated);
}

TEST(CollectiveOptions, TypesAndReductionsAreListedInTheirErrors) {
  EXPECT_NE(error_of({"-d", "quad"}).find(list_names(kDataTypes)), std::string::npos);
  EXPECT_NE(error_of({"-o", "xor"}).find(list_names(kReduceOps)), std::string::npos);
}

TEST(CollectiveOptions, RanksAreSplitByTheFlagOrTheEnvironment) {
  EXPECT_FALSE(parse({}).options.split);
  const GroupRule mod2 = {GroupOperator::modulo, 2};
  EXPECT_EQ(parse({"--split", "MOD 2"}).options.split, mod2);
  EXPECT_EQ(parse({"--split=%2"}).options.split, mod2);
  const ReadEnvironment read = [](const char* name) {
    return std::string_view(name) == "NCCL_TESTS_SPLIT" ? "MOD 0" : nullptr;
  };
  EXPECT_THROW(parse_collective_command({}, traffic::all_reduce, read), UserError);
  EXPECT_EQ(parse_collective_command({"--split", "MOD 2"}, traffic::all_reduce, read).options.split,
            mod2);
  EXPECT_TRUE(parse_collective_command({"--help"}, traffic::all_reduce, read).print);
}

TEST(CollectiveOptions, AllIsEveryTypeAndReduction) {
  const CollectiveOptions options = parse({"-d", "all", "-o", "all"}).options;
  EXPECT_EQ(options.types.size(), kDataTypes.size());
  EXPECT_EQ(options.ops.size(), kReduceOps.size());
}

TEST(CollectiveOptions, AReductionOrARootOfACollectiveWithoutOneIsRefused) {
  EXPECT_THROW(parse_collective_command({"-o", "sum"}, traffic::all_gather), UserError);
  EXPECT_THROW(parse_collective_command({"-r", "0"}, traffic::all_gather), UserError);
}

TEST(CollectiveOptions, AMatrixIsForACollectiveByMatrixOnly) {
  const auto options =
      parse_collective_command({"--matrix", "zipf:1.2", "--seed", "7"}, traffic::alltoallv).options;
  EXPECT_EQ(options.matrix, (traffic::MatrixSpec{traffic::MatrixKind::zipf, 1.2, ""}));
  EXPECT_EQ(options.matrix_seed, 7U);
  for (const std::string flag : {"--matrix", "--seed"}) {
    EXPECT_THROW(parse_collective_command({flag, "1"}, traffic::alltoall), UserError);
  }
  EXPECT_THROW(parse_collective_command({"--matrix", "cubic"}, traffic::alltoallv), UserError);
}

TEST(CollectiveOptions, AMatrixFileHasItsOwnSizeUnlessSizesAreAskedFor) {
  const auto sized_by_file = [](const std::vector<std::string>& arguments) {
    return parse_collective_command(arguments, traffic::alltoallv).options.sized_by_file;
  };
  EXPECT_TRUE(sized_by_file({"--matrix", "file:x"}));
  EXPECT_THROW(sized_by_file({"--matrix", "file:x", "--min-busbw", "32M=1"}), UserError);
  EXPECT_NO_THROW(sized_by_file({"--matrix", "file:x", "-e", "32M", "--min-busbw", "32M=1"}));
  EXPECT_FALSE(sized_by_file({"--matrix", "zipf:1.2"}));
  EXPECT_FALSE(sized_by_file({"--matrix", "file:x", "-e", "64M"}));
  EXPECT_FALSE(sized_by_file({"--matrix", "file:x", "-b", "8"}));
}

TEST(CollectiveOptions, ALibraryOfNcclMeansThatBackend) {
  const CollectiveOptions named = parse({"--nccl-lib", "libnccl.so.2"}).options;
  EXPECT_EQ(named.backend, BackendChoice::nccl);
  EXPECT_EQ(named.nccl_library, "libnccl.so.2");
  EXPECT_THROW(parse({"--nccl-lib", "libnccl.so.2", "--backend", "mpi"}), UserError);
}

TEST(CollectiveOptions, RootsAreOneRankOrAll) {
  const auto root = [](const std::string& text) {
    return parse_collective_command({"-r", text}, traffic::broadcast).options.root;
  };
  EXPECT_EQ(root("3"), 3);
  EXPECT_EQ(root("all"), std::nullopt);
  EXPECT_THROW(root("first"), UserError);
  EXPECT_THROW(root("99999999999"), UserError);
}

TEST(CollectiveOptions, InformationIsPrintedInsteadOfRunning) {
  EXPECT_NE(parse({"--help"}).print->find("--minbytes"), std::string::npos);
  EXPECT_NE(parse({"-h"}).print->find("powers of 1024"), std::string::npos);
  EXPECT_NE(parse({"-h"}).print->find("0 for -D.\n"), std::string::npos);
  EXPECT_NE(parse({"-h"}).print->find("--cudagraph"), std::string::npos);
  EXPECT_NE(parse({"-h"}).print->find("--cta_policy"), std::string::npos);
  EXPECT_EQ(parse({"-h"}).print->find("--device_implementation"), std::string::npos);
  EXPECT_NE(parse({"--list"}).print->find("reduce_scatter"), std::string::npos);
  EXPECT_NE(parse({"--version"}).print->find("collbench"), std::string::npos);
  EXPECT_FALSE(parse({}).print);
}

}  // namespace
}  // namespace collbench
