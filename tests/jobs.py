# SPDX-License-Identifier: Apache-2.0
# Runs commands beside one another, each with a deadline, and gives what they ended with in their own order.

import os
import time
from dataclasses import dataclass, field

import launch

POLL_S = 0.01


@dataclass
class Job:
    """A command, and how many seconds it may take."""

    command: list
    timeout_s: float
    env: dict = field(default_factory=dict)
    cwd: str = None


def at_once():
    """How many run beside one another: TEST_JOBS, or as many as there are cores."""
    return max(1, int(os.environ.get("TEST_JOBS") or len(os.sched_getaffinity(0))))


class _Started:
    def __init__(self, job):
        self.start_s = time.monotonic()
        self.deadline_s = self.start_s + job.timeout_s
        self.child = launch.start(*job.command, env=job.env, cwd=job.cwd)

    def is_over(self):
        return self.child.process.poll() is not None or time.monotonic() > self.deadline_s

    def end(self):
        """Its Result and how many seconds it took."""
        with self.child:
            return self.child.wait(0), time.monotonic() - self.start_s


def run(jobs, limit):
    """Yields (result, seconds) of each job, in their order, as soon as it and those before it are over; at most `limit`
    run at once. None is left running where the caller gives up."""
    waiting, running, ended = list(enumerate(jobs)), {}, {}
    try:
        for number in range(len(jobs)):
            while number not in ended:
                while waiting and len(running) < limit:
                    which, job = waiting.pop(0)
                    running[which] = _Started(job)
                over = [which for which, started in running.items() if started.is_over()]
                ended.update((which, running.pop(which).end()) for which in over)
                if not over:
                    time.sleep(POLL_S)
            yield ended.pop(number)
    finally:
        for started in running.values():
            started.child.__exit__()
