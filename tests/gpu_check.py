#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Checks collbench on a machine with GPUs, part by part; scripts/gpu_check.sh prepares the machine and calls this.
"""Usage: scripts/gpu_check.sh [PART...] [-o FOLDER] [-t SECONDS] [-b BYTES] [-r RATIO] [-s SUITE]...

One line for each part; FOLDER/gpu_check.json has the same and more, after each part a whole file, and FOLDER/PART.log
what was printed. A part that fails or is out of time ends itself alone.
Status: 0 all is well; 1 a part has failed or was out of time; 2 it cannot begin. Trials that fail, and what is skipped
for want of a GPU, are said and do not count.
"""

import argparse
import datetime
import json
import os
import pathlib
import sys
import time
from dataclasses import dataclass

import gpu_parts
import launch


@dataclass
class Part:
    run: object
    limit_s: int  # or less: what is left of the time of all

    @property
    def name(self):
        return self.run.__name__


# The suite takes what is left.
PARTS = (Part(gpu_parts.build, 300), Part(gpu_parts.check_speed, 40), Part(gpu_parts.collectives, 120),
         Part(gpu_parts.two_ranks, 45), Part(gpu_parts.patterns, 90), Part(gpu_parts.suite, 300))


def parse():
    parser = argparse.ArgumentParser(prog="gpu_check.sh",
                                     description="Parts: " + ", ".join(part.name for part in PARTS))
    parser.add_argument("parts", nargs="*", metavar="PART", help="these only (all)")
    parser.add_argument("-o", dest="folder", type=pathlib.Path, default="gpu-check", help="for results (gpu-check)")
    parser.add_argument("-t", dest="limit_s", type=float, default=480, metavar="SECONDS", help="for all parts (480)")
    parser.add_argument("-b", dest="bytes", type=int, default=1 << 30, metavar="BYTES",
                        help="of the largest message, and of a buffer whose check is timed; of fewer than 2^30, "
                             "patterns have smaller messages, too, and compute nothing (2^30)")
    parser.add_argument("-r", dest="goal", type=float, default=0.9, metavar="RATIO",
                        help="how fast the data check must be at least, copying being 1 (0.9)")
    parser.add_argument("-s", dest="suites", action="append", default=[], metavar="SUITE",
                        help="of the suite these only, by part of their name")
    options = parser.parse_args()
    unknown = set(options.parts) - {part.name for part in PARTS}
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    if options.bytes < 1024:
        parser.error(f"-b {options.bytes}: give at least 1024")
    if not options.limit_s > 0:
        parser.error(f"-t {options.limit_s:g}: give a number above 0")
    return options


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def devices():
    command = (sys.executable, launch.ROOT / "tests/gpu_devices.py", os.environ["CUDA_HOME"])
    with launch.start(*command) as child:
        result = child.wait(60)
    if result.returncode != 0:
        return {"failure": f"asking CUDA for them ended with status {result.returncode}"}
    return json.loads(result.stdout)


class Report:
    """FOLDER/gpu_check.json, whole at any time."""

    def __init__(self, options):
        self.path = options.folder / "gpu_check.json"
        self.begin_s = time.monotonic()
        self.document = {"schema": "collbench.gpu_check", "schema_version": "1.0", "started": now(),
                         "status": "running", "exit_status": None, "limit_s": options.limit_s,
                         "cores": len(os.sched_getaffinity(0)), "parts": []}

    def write(self, **changes):
        self.document |= {**changes, "duration_s": round(time.monotonic() - self.begin_s, 3)}
        aside = self.path.with_suffix(".tmp")
        aside.write_text(json.dumps(self.document, indent=2) + "\n")
        aside.replace(self.path)

    def end(self, status, exit_status, **changes):
        self.write(status=status, exit_status=exit_status, ended=now(), **changes)
        return exit_status


def outcome(part, machine, limit_s):
    """How a part ended, for the file."""
    begin_s = time.monotonic()
    try:
        line, facts = part.run(machine, gpu_parts.Runner(machine.folder / f"{part.name}.log", limit_s))
        status = "passed"
    except gpu_parts.Failed as failure:
        status, line, facts = failure.status, str(failure), failure.facts
    except Exception as error:  # a fault of this program: the parts after it still run
        status, line, facts = "failed", f"{type(error).__name__}: {error}", {}
    return {"name": part.name, "status": status, "limit_s": round(limit_s, 3),
            "duration_s": round(time.monotonic() - begin_s, 3), "line": line, **facts}


def run_parts(options, machine, report):
    """The exit status."""
    deadline_s = report.begin_s + options.limit_s
    failed = False
    for part in PARTS:
        if options.parts and part.name not in options.parts:
            continue
        limit_s = min(part.limit_s, max(deadline_s - time.monotonic(), 0))
        ended = outcome(part, machine, limit_s)
        print(f"{part.name:<12} {ended['status']:<12} {ended['duration_s']:6.1f} s  {ended['line']}", flush=True)
        machine.ended[part.name] = ended["status"]
        failed = failed or ended["status"] in ("failed", "out_of_time")
        report.document["parts"].append(ended)
        report.write()
    return 1 if failed else 0


def main():
    options = parse()
    try:
        options.folder = options.folder.resolve()
        options.folder.mkdir(parents=True, exist_ok=True)
        report = Report(options)
        report.write()
    except OSError as error:
        print(f"gpu_check: -o: {error}", file=sys.stderr)
        return 2
    found = devices()
    if "failure" in found:
        print(f"gpu_check: no device: {found['failure']}", file=sys.stderr)
        return report.end("cannot_begin", 2, message=f"no device: {found['failure']}")
    report.write(machine=found)
    capabilities = ", ".join(sorted(set(found["compute_capabilities"])))
    print(f"# {found['gpus']} GPU(s) of compute capability {capabilities}, CUDA {found['cuda_runtime_version']}, "
          f"driver of CUDA {found['cuda_driver_version']}; at most {options.limit_s:g} s; "
          f"results go to {options.folder}", flush=True)
    machine = gpu_parts.Machine(options.folder, found["gpus"], found["compute_capabilities"][0], options.bytes,
                                options.goal, options.suites)
    return report.end("complete", run_parts(options, machine, report))


if __name__ == "__main__":
    sys.exit(main())
