# SPDX-License-Identifier: Apache-2.0
# The file checker finds missing licences and long files, and lets everything else pass.

import pathlib
import subprocess
import tempfile
import unittest

import launch

STARTS_NO_RANKS = True

SPDX = "SPDX-License-Identifier: Apache-2.0\n"

# (file, its text, what the checker must say; None: nothing)
CASES = [
    ("src/base/a.h", f"// {SPDX}" + "\n" * 299, None),
    ("src/base/a.h", f"// {SPDX}" + "\n" * 300, "301 lines, at most 300"),
    ("collectives/a.cpp", f"// {SPDX}" + "\n" * 59, None),
    ("collectives/a.cpp", f"// {SPDX}" + "\n" * 60, "61 lines, at most 60"),
    ("parallel_patterns/a.cpp", f"// {SPDX}" + "\n" * 80, "81 lines, at most 80"),
    ("scripts/a.sh", f"#!/bin/sh\n# {SPDX}", None),
    ("scripts/a.sh", f"#!/bin/sh\n#\n# {SPDX}", "line 1"),
    ("scripts/a", "#!/usr/bin/python3\n", "line 1"),
    ("src/base/a.cpp", "#include <vector>\n", "line 1"),
    ("src/base/a.cpp", "// SPDX-License-Identifier: MIT\n", "line 1"),
    ("Makefile", "all:\n", "line 1"),
    ("src/comm/nccl/kernels.cuh", "#pragma once\n", "line 1"),
    ("src/comm/nccl/plugin.mk", "all:\n", "line 1"),
    ("docs/a.md", "no licence line, and long\n" * 400, None),
]


class CheckFiles(unittest.TestCase):
    def test_each_rule(self):
        for path, text, expected in CASES:
            with self.subTest(path=path, expected=expected), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
                result = subprocess.run([launch.ROOT / "scripts/check_files", folder],
                                        capture_output=True, text=True, timeout=20, check=False)
                self.assertEqual(result.returncode, 0 if expected is None else 1)
                self.assertRegex(result.stdout, r"\A\Z" if expected is None else rf"\A{path}: .*\n\Z")
                self.assertIn(expected or "", result.stdout)


if __name__ == "__main__":
    unittest.main()
