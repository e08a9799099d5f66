#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Runs one file of unittest cases and writes each case's outcome to an XML report, for run.py.

import sys
import unittest
import xml.etree.ElementTree as xml


class Recorder(unittest.TextTestResult):
    """Keeps one outcome per case: a case with failed subtests is one failed case."""

    def __init__(self, *args):
        super().__init__(*args)
        self.outcomes = {}

    def _record(self, test, outcome, detail=""):
        # Failing once is final: a tear-down that succeeds, or another subtest, does not mend it.
        if self.outcomes.get(test.id(), ("",))[0] != "failed":
            self.outcomes[test.id()] = (outcome, detail)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._record(test, "passed")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._record(test, "failed", self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self._record(test, "failed", self.errors[-1][1])

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._record(test, "skipped", reason)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            detail = f"{subtest}\n{self._exc_info_to_string(err, subtest)}"
            self._record(test, "failed", detail)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._record(test, "passed")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._record(test, "failed", "expected to fail, but passed")


def main(path, report):
    suite = unittest.defaultTestLoader.loadTestsFromName(path.rsplit("/", 1)[-1].removesuffix(".py"))
    runner = unittest.TextTestRunner(resultclass=Recorder, verbosity=2)
    result = runner.run(suite)
    root = xml.Element("testsuite")
    for name, (outcome, detail) in result.outcomes.items():
        case = xml.SubElement(root, "testcase", name=name, outcome=outcome)
        # XML has no way to write other control characters.
        case.text = "".join(c for c in detail if c >= " " or c in "\n\t")
    xml.ElementTree(root).write(report)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
