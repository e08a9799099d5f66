# SPDX-License-Identifier: Apache-2.0
# The include checker finds what it is there to find, and nothing in sources that keep the rules.

import pathlib
import subprocess
import tempfile
import unittest

import launch

STARTS_NO_RANKS = True

# (file, its line, what the checker must say; None: nothing)
CASES = [
    ("src/comm/call.h", '#include "base/bytes.h"', None),
    ("src/comm/call.h", '#include "comm/stream.h"', None),
    ("src/app/run.cpp", '#include "comm/mpi/mpi_backend.h"', None),
    ("src/comm/open_backend.cpp", '#include "comm/mpi/mpi_backend.h"', None),
    ("src/comm/x_mpi_test.cpp", '#include "comm/mpi/mpi_test_session.h"', None),
    ("src/comm/mpi/engine.cpp", "#include <mpi.h>", None),
    ("src/comm/mpi/engine_mpi_test.cpp", "#include <mpi.h>", None),
    ("tests/preload/log.cpp", "#include <mpi.h>", None),
    ("src/base/bytes_test.cpp", "#include <gtest/gtest.h>", None),
    ("src/base/clock.cpp", "#include <sys/resource.h>", None),
    ("src/comm/mpi/engine.cpp", "#if MPI_VERSION >= 4", None),
    ("src/results/schema.cpp", '#include "results-1.schema.json.inc"', None),
    ("collectives/all_reduce.cpp", '#include "app/run_collective.h"', None),
    ("src/base/bytes.h", '#include "statistics/statistics.h"', "base may not include statistics"),
    ("src/statistics/fit.h", '#include "traffic/traffic.h"', "statistics may not include traffic"),
    ("src/traffic/traffic.h", '#include "comm/call.h"', "traffic may not include comm"),
    ("src/comm/call.h", '#include "measure/sampling.h"', "comm may not include measure"),
    ("src/plan/plan.h", '#include "comm/call.h"', "plan may not include comm"),
    ("src/model/model.h", '#include "plan/plan.h"', "model may not include plan"),
    ("src/results/record.h", '#include "analysis/compare.h"', "results may not include analysis"),
    ("src/analysis/compare.h", '#include "report/text.h"', "analysis may not include report"),
    ("src/report/text.h", '#include "app/run_main.h"', "report may not include app"),
    ("src/tools/main.cpp", '#include "app/run_main.h"', "tools may not include app"),
    ("src/comm/mpi/x.h", '#include "app/run_main.h"', "comm may not include app"),
    ("src/comm/open.cpp", '#include "comm/mpi/mpi_backend.h"', "open_backend.cpp name a backend"),
    ("src/measure/x.cpp", '#include "comm/mpi/engine.h"', "open_backend.cpp name a backend"),
    ("src/utils/x.h", '#include "base/bytes.h"', "folder utils is not in the table"),
    ("src/base/x.h", '#include "bytes.h"', "must be named from src/"),
    ("src/comm/call.h", "#include <mpi.h>", "<mpi.h> belongs in src/comm/mpi/"),
    ("src/app/run.cpp", "#  include <mpi.h>", "<mpi.h> belongs in src/comm/mpi/"),
    ("src/base/bytes_test.cpp", "#include <mpi.h>", "<mpi.h> belongs in src/comm/mpi/"),
    ("src/comm/mpi/x.cpp", "#include <cuda_runtime.h>", "belongs in src/comm/nccl/"),
    ("src/comm/nccl/kernels.cuh", "#include <cuda_runtime.h>", None),
    ("tests/fakes/cuda/fake.cpp", "#include <cuda_runtime_api.h>", None),
    ("src/comm/plugin.cpp", "#include <nccl.h>", "belongs in src/comm/nccl/"),
    ("src/results/document.h", "#include <nlohmann/json.hpp>", "belongs in src/results/*.cpp"),
    ("src/app/run.cpp", "#include <CLI/CLI.hpp>", "belongs in src/cli/*.cpp"),
    ("src/base/bytes.cpp", "#include <gtest/gtest.h>", "belongs in src/*_test.cpp"),
    ("src/base/bytes.cpp", "#include <zlib.h>", "not in the table"),
    ("src/statistics/x.cpp", "#include <iostream>", "statistics does no output"),
    ("src/app/run.cpp", "#ifdef HAVE_NCCL", "only comm may depend on a backend"),
]


class CheckIncludes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def check(self):
        return subprocess.run([launch.ROOT / "scripts/check_includes", self.root],
                              capture_output=True, text=True, timeout=20, check=False)

    def test_each_rule(self):
        for path, line, expected in CASES:
            with self.subTest(path=path, line=line):
                file = self.write(path, f"// SPDX\n{line}\n")
                result = self.check()
                file.unlink()
                if expected is None:
                    self.assertEqual((result.returncode, result.stdout), (0, ""))
                else:
                    self.assertEqual(result.returncode, 1)
                    self.assertRegex(result.stdout, rf"\A{path}:2: .*\n\Z")
                    self.assertIn(expected, result.stdout)

    def test_a_slow_header_may_not_spread(self):
        for i in range(5):
            self.write(f"src/results/r{i}.cpp", "#include <nlohmann/json.hpp>\n")
        result = self.check()
        self.assertEqual(result.returncode, 1)
        self.assertIn("at most 4 files, not 5", result.stdout)

    def test_names_every_violation(self):
        self.write("src/base/a.h", '#include "comm/call.h"\n#include <vector>\n#include "app/a.h"\n')
        lines = self.check().stdout.splitlines()
        self.assertEqual([line.split(":")[1] for line in lines], ["1", "3"])


if __name__ == "__main__":
    unittest.main()
