# SPDX-License-Identifier: Apache-2.0
# What the programs of a suite say of their cases, as (name, outcome, detail): the outcome is passed, failed or skipped,
# and the detail why.

import re
import xml.etree.ElementTree as xml


def read_googletest(path):
    """Yields each case in a report of GoogleTest."""
    for case in xml.parse(path).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        failures = [failure.get("message", "") for failure in case.findall("failure")]
        skips = [skip.get("message", "") for skip in case.findall("skipped")]
        if case.get("status") == "notrun":
            continue  # disabled or filtered out: it never was a test of this run
        if failures:
            yield name, "failed", "\n".join(failures)
        elif skips or case.get("result") == "skipped":
            # GoogleTest puts "FILE:LINE\n" before the reason.
            yield name, "skipped", " ".join(skips).split("\n", 1)[-1].strip()
        else:
            yield name, "passed", ""


def read_unittest(path):
    """Yields each case in a report of run_file.py."""
    for case in xml.parse(path).iter("testcase"):
        yield case.get("name"), case.get("outcome"), case.text or ""


def cases_of(name, read, report, result):
    """The cases in a program's report, with `name` before theirs, and one failure more if it ended badly without saying
    which case did."""
    cases = [(f"{name} {case}", *rest) for case, *rest in read(report)] if report.exists() else []
    if result.timed_out:
        cases.append((name + _unfinished(result.stdout), "failed", f"deadline passed\n{_tail(result.output)}"))
    elif result.returncode != 0 and not any(outcome == "failed" for _, outcome, _ in cases):
        cases.append((name + _unfinished(result.stdout), "failed",
                      f"ended with status {result.returncode}\n{_tail(result.output)}"))
    elif result.returncode == 0 and not report.exists():
        cases.append((name, "failed", "wrote no report"))
    return cases


def _tail(text, lines=40):
    return "\n".join(text.strip().splitlines()[-lines:])


def _unfinished(output):
    """" in CASE" where GoogleTest's output ends inside a case, else nothing."""
    marks = re.findall(r"^\[( RUN     |       OK|  FAILED |  SKIPPED) \] ([^\s,]+)", output, re.MULTILINE)
    return f" in {marks[-1][1]}" if marks and marks[-1][0].strip() == "RUN" else ""
