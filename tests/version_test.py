# SPDX-License-Identifier: Apache-2.0
# The Makefile's stamp that says which build this is: another one for every change of what is built.

import pathlib
import shutil
import tempfile
import unittest

import launch

STARTS_NO_RANKS = True


class VersionStamp(unittest.TestCase):
    def setUp(self):
        """A source tree of two files."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copy(launch.ROOT / "Makefile", self.root)
        self.write("src/base/a.cpp", "int a;")
        self.write("src/base/a_test.cpp", "int a_test;")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def stamp(self):
        result = launch.run_program("/usr/bin/make", "-s", "-C", self.root, "BUILD=out", "out/version")
        self.assertEqual(result.returncode, 0, result.output)
        return (self.root / "out/version").read_text()

    def test_a_change_without_a_commit_is_another_build(self):
        before = self.stamp()
        for name, text in (("src/base/a.cpp", "int b;"), ("src/base/new.h", "int c;")):
            with self.subTest(name):
                self.write(name, text)
                self.assertNotEqual(self.stamp(), before)
        self.write("src/base/a.cpp", "int a;")
        (self.root / "src/base/new.h").unlink()
        self.assertEqual(self.stamp(), before)

    def test_what_is_not_built_in_does_not_count(self):
        before = self.stamp()
        self.write("src/base/a_test.cpp", "int another_test;")
        self.assertEqual(self.stamp(), before)


if __name__ == "__main__":
    unittest.main()
