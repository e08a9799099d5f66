# SPDX-License-Identifier: Apache-2.0
# The stand-ins for NVIDIA's libraries offer nothing that the real ones lack, and all that the plugin asks for.

import os
import pathlib
import re
import subprocess
import unittest

import launch

STARTS_NO_RANKS = True

LINKED = ("libcudart.so.13", "libnccl.so.2")
# The plugin opens it when it is wanted, and finds functions by name.
OPENED = "libcublas.so.13"
LIBRARIES = (*LINKED, OPENED)
# What only the other fakes and the plugin's clock look for.
OWN_SYMBOLS = ("_ZN8fakecuda", "collbench_clock_now_s")


def fake(name):
    path = launch.BUILD / "fakes" / name
    if not path.exists():
        raise unittest.SkipTest(f"requires fakes: {path} is not built")
    return path


def real(name):
    homes = [os.environ.get(variable) for variable in ("CUDA_HOME", "NCCL_HOME")]
    for home in filter(None, [*homes, "/usr/local/cuda"]):
        for folder in ("lib64", "lib"):
            path = pathlib.Path(home) / folder / name
            if path.exists():
                return path
    raise unittest.SkipTest(f"requires cuda: there is no {name}")


def plugin():
    path = launch.BUILD / "libcollbench_nccl.so"
    if not path.exists():
        raise unittest.SkipTest(f"requires plugin: {path} is not built")
    return path


def symbols(path, which):
    """Names of a library's dynamic symbols, with their version where they have one: cudaFree@libcudart.so.13"""
    command = ["nm", "-D", f"--{which}-only", str(path)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[-1].replace("@@", "@") for line in lines if line.split()[-2] != "A"}


def nvidias(names):
    return {name for name in names if name.lstrip("_").startswith(("cuda", "nccl"))}


def soname(path):
    dynamic = subprocess.run(["readelf", "-d", str(path)], capture_output=True, text=True, check=True).stdout
    return next(line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "(SONAME)" in line)


class FakesSymbols(unittest.TestCase):
    def test_what_a_fake_exports_is_in_the_real_library(self):
        for name in LIBRARIES:
            with self.subTest(name):
                exported = symbols(fake(name), "defined")
                own = {symbol for symbol in exported if symbol.startswith(OWN_SYMBOLS)}
                self.assertGreater(len(exported - own), 5)
                self.assertEqual(exported - own - symbols(real(name), "defined"), set())

    def test_nccl_exports_nothing_of_its_own(self):
        exported = symbols(fake("libnccl.so.2"), "defined")
        self.assertEqual(exported, nvidias(exported))

    def test_names_that_the_loader_looks_for(self):
        for name in LIBRARIES:
            with self.subTest(name):
                self.assertEqual(soname(fake(name)), name)
                self.assertEqual(soname(real(name)), name)

    def test_what_the_plugin_asks_for_is_in_both(self):
        asked = nvidias(symbols(plugin(), "undefined"))
        self.assertIn("ncclAllReduce", asked)
        self.assertIn("cudaMalloc@libcudart.so.13", asked)
        for origin in (fake, real):
            with self.subTest(origin.__name__):
                offered = set().union(*(symbols(origin(name), "defined") for name in LINKED))
                self.assertEqual(asked - offered, set())

    def test_what_the_plugin_finds_by_name_is_all_that_the_fake_has(self):
        source = launch.ROOT / "src" / "comm" / "nccl" / "cublas_library.cpp"
        names = re.findall(r'find\(library, "(\w+)"', source.read_text())
        self.assertIn("cublasGemmEx", names)
        self.assertEqual({f"{name}@{OPENED}" for name in names}, symbols(fake(OPENED), "defined"))


if __name__ == "__main__":
    unittest.main()
