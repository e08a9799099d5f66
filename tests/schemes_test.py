# SPDX-License-Identifier: Apache-2.0
# scripts/schemes.sh and `collbench schemes`: schemes of parallelism side by side.

import json
import pathlib
import subprocess
import tempfile
import unittest

import launch

QUICK = ("--layers", "2", "--sequence", "64", "--shrink", "64", "--compute", "none", "--steps", "1", "-w", "0", "-c", "0",
         "--step-only")


class Schemes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def script(self, *arguments, starter=None):
        starter = starter or " ".join([*launch.launcher(), "-n", "{n}"])
        return subprocess.run(
            [launch.ROOT / "scripts/schemes.sh", "--launcher", starter, "--output", self.folder / "out", *arguments],
            capture_output=True, text=True, timeout=120, check=False,
            env=launch.environment({"COLLBENCH_BUILD": str(launch.BUILD)}))

    @unittest.skipIf(launch.sanitized(), "ten launches, each slow under sanitizers")
    def test_all_schemes_of_two_ranks_and_what_was_measured_is_kept(self):
        launch.skip_beyond(2)
        first = self.script("--model", "tiny", "-np", "2", "--format", "json", "--", *QUICK)
        self.assertEqual(first.returncode, 0, first.stderr)
        table, = json.loads(first.stdout)["tables"]
        patterns = {row["step"]["pattern"] for row in table["rows"]}
        self.assertEqual(patterns, {"data_parallel", "zero", "tensor_parallel", "context_parallel",
                                    "pipeline_parallel"})
        self.assertEqual(len({row["name"] for row in table["rows"]}), len(table["rows"]))
        self.assertTrue(all(row["memory_bytes"] > row["state_bytes"] > 0 for row in table["rows"]))
        again = self.script("--model", "tiny", "-np", "2", "--memory", "1M", "--", *QUICK)
        self.assertNotIn("measuring: ", again.stderr)
        self.assertIn("# nothing fits into 1 MiB of a rank: ", again.stdout)

    def launcher(self, text):
        path = self.folder / "launch"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return f"{path} {{n}}"

    def test_hybrids_that_four_ranks_allow(self):
        log = self.folder / "log"
        starter = self.launcher(f'echo "$*" >> {log}; echo "this cannot be" >&2; exit 2')
        result = self.script("--model", "tiny", "-np", "4", "--", *QUICK, starter=starter)
        self.assertEqual(result.returncode, 2)
        self.assertTrue(result.stderr.endswith("schemes.sh: no scheme could be measured\n"), result.stderr)
        self.assertIn("  left out: this cannot be\n", result.stderr)
        hybrids = {line.split("--step-only ")[1].split(" --interference")[0] for line in log.read_text().splitlines()
                   if "hybrid_parallel_perf" in line}
        self.assertEqual(hybrids, {"--tp 2", "--cp 2", "--pp 2", "--tp 2 --cp 2", "--tp 2 --pp 2", "--cp 2 --pp 2"})
        self.assertEqual(log.read_text().count("/zero_perf "), 7)

    def test_experts_on_all_degrees_that_four_ranks_allow(self):
        log = self.folder / "log"
        starter = self.launcher(f'echo "$*" >> {log}; exit 2')
        self.script("--model", "tiny-moe", "-np", "4", "--", *QUICK, starter=starter)
        tried = set()
        for line in log.read_text().splitlines():
            if "--ep " in line:
                program = pathlib.PurePath(line.split()[1]).name
                tried.add((program, line.split("--step-only ")[1].split(" -J")[0].replace(" --interference 0", "")))
        self.assertEqual(tried, {
            ("expert_parallel_perf", "--ep 2 --etp 1"), ("expert_parallel_perf", "--ep 4 --etp 1"),
            ("hybrid_parallel_perf", "--pp 2 --ep 2 --etp 1"), ("hybrid_parallel_perf", "--cp 2 --ep 4 --etp 1"),
            ("hybrid_parallel_perf", "--cp 2 --pp 2 --ep 2 --etp 1"), ("context_parallel_perf", "--cp 4 --ep 4 --etp 1"),
            ("hybrid_parallel_perf", "--tp 2 --ep 4 --etp 1"), ("hybrid_parallel_perf", "--tp 2 --pp 2 --ep 2 --etp 1"),
            ("hybrid_parallel_perf", "--tp 2 --cp 2 --ep 4 --etp 1"), ("tensor_parallel_perf", "--tp 4 --ep 4 --etp 1")})

    @unittest.skipIf(launch.sanitized(), "a dozen launches, each slow under sanitizers")
    def test_schemes_of_a_model_with_experts(self):
        launch.skip_beyond(2)
        result = self.script("--model", "tiny-moe", "-np", "2", "--memory", "1G", "--format", "json", "--", *QUICK,
                             "--routing", "zipf:1")
        self.assertEqual(result.returncode, 0, result.stderr)
        table, = json.loads(result.stdout)["tables"]
        experts = [row for row in table["rows"] if row["step"]["layout"]["ep"] == 2]
        self.assertEqual({row["step"]["pattern"] for row in experts}, {"expert_parallel", "tensor_parallel"})
        # Uneven routing gives each rank of ep work of its own, and a ring each of cp.
        self.assertRegex(result.stderr, "measuring: context_parallel_perf .* --ep 2 --etp 1\n  left out: .*one or the other")
        plain, = (row for row in table["rows"] if row["step"]["pattern"] == "data_parallel")
        sharing, = (row for row in experts if row["step"]["pattern"] == "expert_parallel")
        # A rank keeps half the experts, and what computes with them as before.
        self.assertLess(sharing["state_bytes"], plain["state_bytes"])
        self.assertEqual(sharing["activation_bytes"], plain["activation_bytes"])
        self.assertTrue(all(row["fits"] and row["sent_bytes"] > 0 for row in table["rows"]))

    def test_a_launch_that_fails_ends_it(self):
        result = self.script("--model", "tiny", "-np", "2", "--", *QUICK,
                             starter=self.launcher("echo no core left >&2; exit 7"))
        self.assertEqual(result.returncode, 7)
        self.assertIn("no core left\n", result.stderr)

    def test_mistakes(self):
        for arguments, said in (((), "--model is missing"), (("--model", "tiny"), "-np '' is no number of ranks"),
                                (("--model", "tiny", "-np", "1"), "-np '1' is no number of ranks from 2 on"),
                                (("--modle", "tiny"), "'--modle' is no flag"), (("--model",), "'--model' has no value"),
                                (("--model", "none", "-np", "2"), "no model"),
                                (("--model", "tiny", "-np", "2", "--format", "x"), "'x' is no format"),
                                (("--model", "tiny", "-np", "2", "--memory", "lots"), "--memory: "),
                                (("--model", "tiny", "-np", "2", "--", "--colour"), "--colour")):
            with self.subTest(arguments):
                result = self.script(*arguments)
                self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), result.stderr)
                self.assertIn(said, result.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_nothing_to_show_is_no_success(self):
        rows = launch.ROOT / "tests/golden/results-1.1.json"
        result = launch.run_program("collbench", "schemes", rows)
        self.assertEqual(result.returncode, 6)
        self.assertIn("no step was measured", result.stdout)
        self.assertEqual(result.stderr.count("\n"), 1)
        steps = launch.ROOT / "tests/golden/results-1.1-steps.json"
        output = self.folder / "table.md"
        result = launch.run_program("collbench", "schemes", steps, "--format", "markdown", "-o", output)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        self.assertIn("| zero | tp 2 dp 2 |", output.read_text())


if __name__ == "__main__":
    unittest.main()
