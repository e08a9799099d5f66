# SPDX-License-Identifier: Apache-2.0
# The plugin as programs find it: what it says where there is no GPU, and that it measures on the fakes.

import os
import pathlib
import re
import tempfile
import unittest

import launch

PLUGIN = launch.BUILD / "libcollbench_nccl.so"


def real_library(name):
    """Where the loader finds a library of NVIDIA's for the plugin."""
    found = launch.run_program("/usr/bin/ldd", PLUGIN)
    match = re.search(rf"{re.escape(name)} => (/\S+)", found.stdout)
    return match.group(1) if match else None


class WhatMakeSays(unittest.TestCase):
    def note(self, *variables):
        """The line of `make` about the plugin."""
        result = launch.run_program("/usr/bin/make", "-s", "-C", launch.ROOT, f"BUILD={launch.BUILD}", *variables,
                                    "nccl-note")
        self.assertEqual(result.returncode, 0, result.output)
        return result.stdout

    def test_why_there_is_no_plugin(self):
        self.assertEqual(self.note("NCCL=0"), "  nccl  left out, because NCCL=0\n")
        self.assertEqual(self.note("CUDA_HOME=/nowhere"), "  nccl  left out: there is no /nowhere/bin/nvcc; "
                                                          "name the folder of the toolkit with CUDA_HOME\n")

    @unittest.skipUnless(PLUGIN.exists(), "requires plugin: CUDA's compiler and nccl.h")
    def test_what_the_plugin_is_built_with(self):
        self.assertRegex(self.note(), r"^  nccl  CUDA \d+\.\d+ in /\S+, NCCL 2\.\d+\.\d+ in /\S+\n$")
        self.assertEqual(self.note("NCCL_HOME=/nowhere"), "  nccl  left out: there is no /nowhere/include/nccl.h; "
                                                          "name its folder with NCCL_HOME\n")

    @unittest.skipUnless(PLUGIN.exists(), "requires plugin: CUDA's compiler and nccl.h")
    def test_the_nccl_that_is_named_comes_before_that_of_the_toolkit(self):
        with tempfile.TemporaryDirectory() as name:
            home = pathlib.Path(name)
            for file in ("include/nccl.h", "lib/libnccl.so.2"):
                (home / file).parent.mkdir()
                (home / file).touch()
            result = launch.run_program(
                "/usr/bin/make", "-n", "V=1", "-C", launch.ROOT, f"BUILD={home / 'build'}", f"NCCL_HOME={home}",
                f"{home / 'build'}/libcollbench_nccl.so")
        compiled = re.search(r"^.* -c src/comm/nccl/nccl_error.cpp .*$", result.stdout, re.MULTILINE).group()
        linked = re.search(r"^.* -o \S+/libcollbench_nccl.so .*$", result.stdout, re.MULTILINE).group()
        self.assertEqual(re.findall(r"-isystem (\S+)", compiled)[0], f"{home}/include")
        self.assertEqual(re.findall(r" -L(\S+)", linked)[0], f"{home}/lib")


@unittest.skipUnless(PLUGIN.exists(), "requires plugin: CUDA's compiler and nccl.h")
class NcclPlugin(unittest.TestCase):
    def test_it_carries_no_mpi(self):
        result = launch.run_program("/usr/bin/nm", "-D", "--undefined-only", PLUGIN)
        self.assertIn("ncclAllReduce", result.stdout)
        self.assertNotIn(" MPI", result.stdout)

    def test_without_a_driver_it_says_so(self):
        if os.path.exists("/dev/nvidiactl"):
            self.skipTest("there is a driver")
        if real_library("libcudart.so.13") is None or real_library("libnccl.so.2") is None:
            self.skipTest("requires cuda: the real libraries")
        why = r"libcollbench_nccl\.so: no CUDA driver, or one too old for CUDA \d+\.\d+"
        asked = launch.run_ranks(2, "all_reduce_perf", "--backend", "nccl")
        self.assertEqual(asked.returncode, 3, asked.output)
        self.assertRegex(asked.stderr, rf"^all_reduce_perf: --backend nccl is not available on .*{why}")
        self.assertEqual(asked.stderr.count("\n"), 1, asked.stderr)
        chosen = launch.run_ranks(2, "all_reduce_perf", "-b", 8, "-e", 8, "-n", 5)
        self.assertEqual(chosen.returncode, 0, chosen.output)
        self.assertRegex(chosen.stdout, rf"# backend mpi: nccl is not available: .*{why}\n")

    def test_a_library_that_is_not_there_is_named(self):
        for flags in (("--backend", "nccl"), ()):  # who names a library does not mean hosts
            with self.subTest(flags=flags):
                result = launch.run_ranks(1, "all_reduce_perf", *flags, "--nccl-lib", "/nowhere/libnccl.so.2")
                self.assertEqual(result.returncode, 3, result.output)
                self.assertIn("--nccl-lib /nowhere/libnccl.so.2: ", result.stderr)

    def test_a_library_that_is_not_nccl_is_not_passed_over(self):
        other = launch.BUILD / "fakes" / "libnvidia-ml.so.1"
        result = launch.run_ranks(1, "all_reduce_perf", "--backend", "nccl", "--nccl-lib", other, "-n", 5,
                                  env=launch.on_fakes())
        self.assertEqual(result.returncode, 3, result.output)
        self.assertIn(f"--nccl-lib {other}: it is not what the plugin loads as NCCL", result.stderr)

    def test_on_the_fakes_it_measures(self):
        for ranks, flags in ((2, ()), (1, ("-g", 2))):
            with self.subTest(ranks=ranks):
                result = launch.run_ranks(ranks, "all_reduce_perf", "--backend", "nccl", "-b", "8", "-e", "1M",
                                          "-f", "512", "-n", 5, *flags, env=launch.on_fakes())
                self.assertEqual(result.returncode, 0, result.output)
                self.assertEqual(len(re.findall("Fake GPU", result.stdout)), 2, result.stdout)
                self.assertIn("# Out of bounds values : 0 OK", result.stdout)

    def test_another_libnccl_serves_in_the_place_of_the_one_that_would_be_found(self):
        fakes = launch.BUILD / "fakes"
        with tempfile.TemporaryDirectory() as folder:  # with all but libnccl
            for name in ("libcudart.so.13", "libfake_kernels.so"):
                (pathlib.Path(folder) / name).symlink_to(fakes / name)
            env = launch.on_fakes({"LD_LIBRARY_PATH": folder, "FAKE_NCCL_VERSION": "29901"})
            result = launch.run_ranks(2, "all_reduce_perf", "--backend", "nccl", "--nccl-lib", fakes / "libnccl.so.2",
                                      "-b", 8, "-e", 8, "-n", 5, env=env)
        self.assertEqual(result.returncode, 0, result.output)
        self.assertIn("nccl=2.99.1", result.stdout)

    def run_two(self, first, second):
        """A rank in each of these environments, as words for env, on the fakes."""
        command = launch.launcher()
        for variables in (first, ":", second):
            command += [":"] if variables == ":" else [
                "-n", 1, "env", *variables.split(), launch.program_path("all_reduce_perf"), "-b", 8, "-e", 8, "-n", 5]
        with launch.start(*command, env=launch.on_fakes()) as running:
            return running.wait(60)

    def test_each_process_may_see_a_gpu_of_its_own(self):
        result = self.run_two("CUDA_VISIBLE_DEVICES=2", "CUDA_VISIBLE_DEVICES=5")
        self.assertEqual(result.returncode, 0, result.output)
        self.assertEqual(re.findall(r"\[(\S+)\] Fake GPU", result.stdout), ["0000:03:00.0", "0000:06:00.0"])

    def test_ranks_that_nccl_takes_for_those_of_two_hosts_may_share_a_gpu(self):
        result = self.run_two("CUDA_VISIBLE_DEVICES=2 NCCL_HOSTID=a", "CUDA_VISIBLE_DEVICES=2 NCCL_HOSTID=b")
        self.assertEqual(result.returncode, 0, result.output)
        self.assertEqual(re.findall(r"\[(\S+)\] Fake GPU", result.stdout), ["0000:03:00.0", "0000:03:00.0"])

    def test_ranks_that_cannot_run_together_end_with_one_sentence(self):
        for first, second, sentence in (
                ("CUDA_VISIBLE_DEVICES=2", "CUDA_VISIBLE_DEVICES=2", "ranks 0 and 1 on .* would share the GPU 0000:03:"),
                ("A=B", "FAKE_NCCL_VERSION=22703", "rank 0 on .* has NCCL .* and rank 1 on .* has NCCL 2.27.3"),
                ("A=B", "FAKE_CUDA_NONE=35", "no CUDA driver")):
            with self.subTest(sentence):
                result = self.run_two(first, second)
                self.assertEqual(result.returncode, 3, result.output)
                self.assertRegex(result.stderr, rf"^all_reduce_perf: .*{sentence}.*\n$")


if __name__ == "__main__":
    unittest.main()
