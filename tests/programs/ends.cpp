// SPDX-License-Identifier: Apache-2.0
// A run that fails on demand, for tests/ends_test.py: it goes through run_main as every binary of
// the suite does, but its body only counts blocks and rows.
//
// Usage: ends FAULT [RANK] [-J FILE] [-T SECONDS] [--start-timeout SECONDS] [--blocks N]
//             [--print-bytes N]
// where RANK is the one that has the fault, else all have it. See kFaults. Rank 0 prints "pids
// ...", and once two rows are written "ready" and so many dots.

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#include "app/run_facts.h"
#include "app/run_main.h"
#include "comm/launcher_facts.h"
#include "results/document.h"
#include "results/result_file.h"

// MPI's profiling interface: our functions are called in place of the library's. They are declared
// here because mpi.h is for src/comm/mpi alone.
extern "C" {
int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided);
int PMPI_Finalize();

// The rank ENDS_LATE_RANK never gets to MPI_Init.
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const char* late = std::getenv("ENDS_LATE_RANK");
  if (late != nullptr && std::atoi(late) == collbench::launcher_facts().rank) pause();
  return PMPI_Init_thread(argc, argv, required, provided);
}

int MPI_Finalize() {
  if (std::getenv("ENDS_HANGS_IN_FINALIZE") != nullptr) pause();
  return PMPI_Finalize();
}
}

namespace {

using namespace collbench;  // NOLINT: a test program

constexpr double kPatient_s = 20;  // before the fault, so that a busy machine is none

struct Options {
  std::string fault;
  int rank = 0;
  std::string file;
  double timeout_s = kPatient_s;
  double start_timeout_s = kPatient_s;
  int blocks = 20;
  std::size_t print_bytes = 0;
};

using Fault = ExitStatus (*)(RunContext&);

const std::map<std::string, Fault> kFaults = {
    {"none", [](RunContext&) { return ExitStatus::ok; }},
    {"wrong-data", [](RunContext&) { return ExitStatus::wrong_data; }},
    {"verdict", [](RunContext&) { return ExitStatus::verdict_failed; }},
    {"system-error", [](RunContext&) -> ExitStatus { throw SystemError("flux() failed: E_FLUX"); }},
    {"common-system-error",
     [](RunContext&) -> ExitStatus { throw CommonSystemError("no flux on any host"); }},
    {"user-error", [](RunContext&) -> ExitStatus { throw UserError("-z: no such thing"); }},
    {"internal-error", [](RunContext&) -> ExitStatus { throw std::logic_error("odd state"); }},
    {"hang",
     [](RunContext&) -> ExitStatus {
       for (;;) pause();
     }},
    {"full-disk",
     [](RunContext&) {
       const rlimit less_than_a_document{400, 400};
       setrlimit(RLIMIT_FSIZE, &less_than_a_document);
       return ExitStatus::ok;
     }},
    {"hang-in-finalize",
     [](RunContext&) {
       setenv("ENDS_HANGS_IN_FINALIZE", "1", 1);
       return ExitStatus::wrong_data;
     }},
    {"user-error-together",
     [](RunContext&) -> ExitStatus { throw std::logic_error("handled where the file is made"); }},
};

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  options.rank = -1;  // all ranks
  if (arguments.empty() || !kFaults.contains(arguments[0])) throw UserError("FAULT: no such fault");
  options.fault = arguments[0];
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (i == 1 && arguments[i][0] != '-') {
      options.rank = std::stoi(arguments[i]);
      continue;
    }
    if (i + 1 == arguments.size()) throw UserError(arguments[i] + ": needs a value");
    const std::string& value = arguments[i + 1];
    if (arguments[i] == "-J") options.file = value;
    if (arguments[i] == "-T") options.timeout_s = std::stod(value);
    if (arguments[i] == "--start-timeout") options.start_timeout_s = std::stod(value);
    if (arguments[i] == "--blocks") options.blocks = std::stoi(value);
    if (arguments[i] == "--print-bytes") options.print_bytes = std::stoul(value);
    ++i;
  }
  return options;
}

Record row(int block, int ranks) {
  Record record;
  record.key.collective = "test";
  record.key.message_bytes = static_cast<Bytes>(block);
  record.key.ranks = ranks;
  record.key.backend = "mpi";
  record.key.mode = "streaming";
  record.status = RowStatus::skipped;
  record.reason = "a test";
  return record;
}

ResultFile* open_file(RunContext& run, const Options& options, bool faulty) {
  ResultFile* file = nullptr;
  together(run.control(), [&] {
    if (options.fault == "user-error-together" && faulty) throw UserError("-J: no such folder");
    if (run.session().rank() != 0 || options.file.empty()) return;
    Document document;
    document.run = new_run_facts();
    document.config.program = "ends";
    file = run.own([&] { return ResultFile::create(options.file, document, false); });
  });
  return file;
}

ExitStatus body(RunContext& run, const Options& options) {
  const int rank = run.session().rank();
  const bool faulty = options.rank < 0 || options.rank == rank;
  ResultFile* file = open_file(run, options, faulty);
  const std::vector<pid_t> pids = run.control().all_gather(getpid());
  if (rank == 0) run.print(fmt::format("pids {}\n", fmt::join(pids, " ")));
  ExitStatus status = ExitStatus::ok;
  for (int block = 1; block <= options.blocks; ++block) {
    run.progress().enter(fmt::format("test 8 B float block {}", block),
                         block < 3 ? kPatient_s : step_limit_s(options.timeout_s, 0));
    if (block == 3 && faulty) status = kFaults.at(options.fault)(run);
    run.control().barrier();
    if (file != nullptr && block < 3) file->append(row(block, run.session().size()));
    if (block == 2) run.control().barrier();  // a fault finds both rows, on a busy machine too
    if (rank == 0 && block == 3) run.print("ready\n" + std::string(options.print_bytes, '.'));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return run_main(argc, argv,
                  {"ends",
                   [&](const std::vector<std::string>& arguments, const ReadEnvironment&) {
                     options = parse(arguments);
                     return Command{std::nullopt, options.start_timeout_s};
                   },
                   [&](RunContext& run) { return body(run, options); }});
}
