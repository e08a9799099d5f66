# SPDX-License-Identifier: Apache-2.0
# The parts of gpu_check.py: what each runs on a machine with GPUs, and when all is well.
"""Each is a function of a Machine and of a Runner that keeps its limit of time. It returns (line, facts) for people and
for the file, or raises Failed with both."""

import json
import os
import pathlib
import re
import shlex
import shutil
import sys
import time
from dataclasses import dataclass, field

import launch

NOT_LONGER_S = 40  # a single run of the many of a part
DEADLINES = ("-T", 20, "--start-timeout", 30)


class Failed(Exception):
    """`line`: what is not well; `facts`: what was found all the same."""

    status = "failed"

    def __init__(self, line, facts=None):
        super().__init__(line)
        self.facts = facts or {}


class TrialFailed(Failed):
    """Of what NVIDIA does not promise to work: no fault of ours."""

    status = "trial_failed"


class OutOfTime(Failed):
    status = "out_of_time"


class Skipped(Failed):
    status = "skipped"


@dataclass
class Machine:
    """What parts know of where they run, and of what is asked for."""

    folder: pathlib.Path  # where result files go
    gpus: int
    compute_capability: str
    bytes: int  # of the largest message, and of a buffer that is checked
    goal: float
    suites: list
    ended: dict = field(default_factory=dict)  # status by the names of the parts before


class Runner:
    """Starts the commands of a part, one after the other, and logs what they print."""

    def __init__(self, log, limit_s):
        self.log, self.limit_s = log, limit_s
        self.deadline_s = time.monotonic() + limit_s
        log.write_text("")

    def run(self, *command, env=None, at_most_s=None):
        """Its launch.Result. Raises OutOfTime where the part's time is over before it is."""
        left_s = max(self.deadline_s - time.monotonic(), 0.1)
        words = shlex.join(map(str, command))
        with launch.start(*command, env=env, cwd=launch.ROOT) as child:
            result = child.wait(min(left_s, at_most_s or left_s))
        with self.log.open("a") as log:
            log.write(f"$ {words}\n{result.output}== status {result.returncode}\n")
        if result.timed_out and time.monotonic() >= self.deadline_s:
            raise OutOfTime(f"not done after {self.limit_s:.0f} s, in: {words[:200]}")
        return result


def built(name):
    path = launch.BUILD / name
    if not path.exists():
        raise Failed(f"{name} is not built")
    return path


def names_in(folder):
    return sorted(path.stem for path in (launch.ROOT / folder).glob("*.cpp"))


# ---- building

def cuda_arch(runner, compute_capability):
    """CUDA_ARCH for this GPU alone, where its compiler knows it: a fraction of the time that all take."""
    arch = compute_capability.replace(".", "")
    nvcc = pathlib.Path(os.environ["CUDA_HOME"], "bin/nvcc")
    return [f"CUDA_ARCH={arch}"] if f"sm_{arch}\n" in runner.run(nvcc, "--list-gpu-code").stdout else []


def build(machine, runner):
    folder = os.path.relpath(launch.BUILD, launch.ROOT)
    goals = ["all", f"{folder}/nccl_tests", f"{folder}/tests/check_speed"]
    make = shlex.split(os.environ.get("MAKE", "make"))
    result = runner.run(*make, f"BUILD={folder}", *cuda_arch(runner, machine.compute_capability), *goals)
    if result.returncode != 0:
        why = re.search(r"^.*(?:: (?:fatal )?error: |undefined reference|\*\*\* ).*$", result.output, re.MULTILINE)
        raise Failed(why.group() if why else f"make ended with status {result.returncode}")
    built("libcollbench_nccl.so")
    return f"in {folder}", {}


# ---- runs that leave a result file

def problem_of(result, document):
    """What is not well about a run, or None."""
    if result.timed_out:
        return f"not done after {NOT_LONGER_S} s"
    if document is None or document["run"]["status"] != "complete" or result.returncode != 0:
        said = result.stderr.strip().splitlines() or ["and said nothing"]
        return f"status {result.returncode}: {said[-1]}"
    if document["summary"]["wrong_elements"] != 0:
        return "wrong data"
    wanted = document["rows"] or document["steps"]
    return None if any(row["status"] == "ok" for row in wanted) else "nothing was measured"


def facts_of(document):
    """What the file of gpu_check.py repeats of a result file."""
    bandwidths = [row["algbw_GBps"] for row in document["rows"] if row["status"] == "ok"]
    steps = [step["times"]["step"]["time_us"]["median"] for step in document.get("steps", []) if step["status"] == "ok"]
    return {"rows": len(document["rows"]), "wrong_elements": document["summary"]["wrong_elements"],
            **({"highest_algbw_GBps": max(bandwidths)} if bandwidths else {}),
            **({"step_us": steps[0]} if steps else {})}


def measured(machine, runner, name, start, env=None):
    """One run whose result file is FOLDER/NAME.json, as facts; `start(flags)` gives the command."""
    path = machine.folder / f"{name}.json"
    path.unlink(missing_ok=True)
    begin_s = time.monotonic()
    result = runner.run(*start(("--backend", "nccl", *DEADLINES, "-J", path)), env=env, at_most_s=NOT_LONGER_S)
    document = json.loads(path.read_text()) if path.exists() else None
    problem = problem_of(result, document)
    return {"name": name, "exit_status": result.returncode, "duration_s": round(time.monotonic() - begin_s, 3),
            **(facts_of(document) if document else {}), **({"problem": problem} if problem else {})}


def verdict(runs, failure=Failed):
    """(line, facts) of several runs; raises `failure` unless all are right."""
    bad = [run for run in runs if "problem" in run]
    line = f"{len(runs) - len(bad)} of {len(runs)} runs right"
    if bad:
        raise failure(f"{line}; {bad[0]['name']}: {bad[0]['problem']}", {"runs": runs})
    return line, {"runs": runs}


# ---- collectives

# Where two ranks on one GPU meet, which takes them in turns.
MOST_OVER_SOCKETS = 1 << 20
SHRINK_OVER_SOCKETS = 64
ONE_SIZE = ("-b", "64K", "-e", "64K", "-n", 2, "-w", 1)
# What an all_reduce shows beside its sizes.
WAYS = (("types", (*ONE_SIZE, "-d", "all", "-o", "all")), ("graph", (*ONE_SIZE, "-G", 2)),
        ("checked_on_host", (*ONE_SIZE, "-c", "host")))


def sizes(largest_bytes):
    return ("-b", "1K", "-e", largest_bytes, "-f", 1024, "-n", 20, "--samples", 3)


def ranks_of(name, gpus):
    """All GPUs; of a hypercube as many as it has corners."""
    return 1 << (gpus.bit_length() - 1) if name == "hypercube" else gpus


def by_threads(program, ranks, *flags):
    """A process with so many rank threads."""
    return lambda common: (built(program), "-g", ranks, *flags, *common)


def collectives(machine, runner):
    runs = []
    for name in launch.collectives():
        for ranks in sorted({1, ranks_of(name, machine.gpus)}):
            start = by_threads(f"{name}_perf", ranks, *sizes(machine.bytes))
            runs.append(measured(machine, runner, f"{name}.{ranks}", start))
    for way, flags in WAYS:
        start = by_threads("all_reduce_perf", machine.gpus, *flags)
        runs.append(measured(machine, runner, f"all_reduce.{way}", start))
    start = by_threads("memcpy_perf", machine.gpus, *sizes(machine.bytes))
    runs.append(measured(machine, runner, "memcpy", start))  # what they are made of
    return verdict(runs)


# ---- two ranks on one GPU

def trial_environment():
    """One GPU, and as little of it as NCCL can do with."""
    gpu = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    return {"CUDA_VISIBLE_DEVICES": gpu, "NCCL_SOCKET_IFNAME": "lo", "NCCL_IB_DISABLE": "1", "NCCL_MAX_CTAS": "1"}


def as_if_two_hosts(program, *flags):
    """Two processes that are to NCCL those of two hosts, or it would refuse them one GPU."""
    if shutil.which(launch.launcher()[0]) is None:
        raise Skipped(f"requires {launch.launcher()[0]}: two processes need a launcher")

    def start(common):
        one, other = (("-n", 1, "env", f"NCCL_HOSTID=collbench-{host}", built(program), *flags, *common)
                      for host in "ab")
        return (*launch.launcher(), *one, ":", *other)
    return start


def two_ranks(machine, runner):
    start = as_if_two_hosts("all_reduce_perf", *sizes(min(machine.bytes, MOST_OVER_SOCKETS)))
    run = measured(machine, runner, "two_ranks", start, trial_environment())
    return verdict([run], TrialFailed)


# ---- patterns

STEP = ("--sequence", 256, "--steps", 1, "-w", 1)
SMALLEST_OF = {
    "context_parallel": ("--model", "tiny", "--cp", 2),
    "expert_parallel": ("--model", "tiny-moe", "--ep", 2),
    "hybrid_parallel": ("--model", "tiny", "--tp", 2),
    "pipeline_parallel": ("--model", "tiny", "--pp", 2),
    "tensor_parallel": ("--model", "tiny", "--tp", 2),
}
FOUR_RANKS = ("hybrid_parallel",)  # tp beside dp; all others need two


def step_flags(machine, name, least_shrink=1):
    by_size = (1 << 30) // machine.bytes
    shrink = max(by_size, least_shrink)
    smaller = ("--shrink", shrink) if shrink > 1 else ()
    idle = ("--compute", "none") if by_size > 1 else ()
    return (*SMALLEST_OF.get(name, ("--model", "tiny")), *STEP, *smaller, *idle)


def fewest_ranks(name):
    return 4 if name in FOUR_RANKS else 2


def patterns_on(ranks):
    return [name for name in names_in("parallel_patterns") if fewest_ranks(name) <= ranks]


def patterns(machine, runner):
    if machine.gpus > 1:
        return verdict([measured(machine, runner, name,
                                 by_threads(f"{name}_perf", fewest_ranks(name), *step_flags(machine, name)))
                        for name in patterns_on(machine.gpus)])
    if machine.ended.get("two_ranks") != "passed":
        raise Skipped("requires 2 GPUs: one rank has nothing to send, and the trial of two ranks on one has not passed")
    runs = []
    for name in patterns_on(2):
        start = as_if_two_hosts(f"{name}_perf", *step_flags(machine, name, SHRINK_OVER_SOCKETS))
        runs.append(measured(machine, runner, name, start, trial_environment()))
    return verdict(runs, TrialFailed)


# ---- the data check's speed

def check_speed(machine, runner):
    result = runner.run(built("tests/check_speed"), machine.bytes)
    if result.returncode != 0:
        raise Failed(f"status {result.returncode}: {result.output.strip()}")
    found = json.loads(result.stdout)
    check_GBps = found["buffer_bytes"] / found["check_us"] / 1e3
    copy_GBps = 2 * found["buffer_bytes"] / found["copy_us"] / 1e3
    ratio = check_GBps / copy_GBps
    facts = {**found, "check_GBps": check_GBps, "copy_GBps": copy_GBps, "check_to_copy": ratio,
             "goal_check_to_copy": machine.goal}
    line = (f"the check reads {check_GBps:.1f} GB/s, a copy moves {copy_GBps:.1f} GB/s: {ratio:.3f}, "
            f"goal {machine.goal:g}")
    if ratio < machine.goal:
        raise Failed(line, facts)
    return line, facts


# ---- the suite

def suite(machine, runner):
    result = runner.run(sys.executable, launch.ROOT / "tests/run.py", *machine.suites,
                        env={"TEST_GPUS": str(machine.gpus), "PYTHONUNBUFFERED": "1"})
    totals = re.search(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", result.stdout, re.MULTILINE)
    if totals is None:
        raise Failed(f"status {result.returncode}, and no line of totals")
    passed, failed, skipped = (int(number or 0) for number in totals.groups())
    cases = re.findall(r"^failed: (.*)$", result.stdout, re.MULTILINE)
    facts = {"cases_passed": passed, "cases_failed": failed, "cases_skipped": skipped, "failed_cases": cases}
    if result.returncode != 0:
        raise Failed(f"{totals.group()}; {cases[0] if cases else 'no test ran'}", facts)
    return totals.group(), facts
