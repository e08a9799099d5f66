# SPDX-License-Identifier: Apache-2.0
# What `make install` copies runs from there, and still runs after the folder has moved.

import pathlib
import re
import tempfile
import unittest

import launch


class Install(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def install(self, destination):
        """Installs what is built as it is: -o keeps make from building anything."""
        result = launch.run_program(
            "/usr/bin/make", "-C", launch.ROOT, "-o", "all", "install", f"BUILD={launch.BUILD}",
            f"DESTDIR={destination}", "PREFIX=/opt/collbench")
        self.assertEqual(result.returncode, 0, result.output)
        return destination / "opt/collbench"

    def test_what_is_installed_works_moved(self):
        installed = self.install(self.folder / "staged")
        self.assertTrue((installed / "share/doc/collbench/LICENSE").exists())
        moved = self.folder / "elsewhere"
        installed.rename(moved)

        shown = launch.run_program(moved / "bin/collbench", "--help", cwd="/")
        self.assertEqual(shown.returncode, 0, shown.output)
        path = self.folder / "run.json"
        run = launch.run_ranks(2, moved / "bin/all_reduce_perf", "-b", 8, "-e", 64, "-f", 8, "-n", 10,
                               "-J", path, cwd="/")
        self.assertEqual(run.returncode, 0, run.output)
        valid = launch.run_program(moved / "bin/collbench", "validate", path, cwd="/")
        self.assertEqual(valid.returncode, 0, valid.output)

    @unittest.skipUnless((launch.BUILD / "libcollbench_nccl.so").exists(), "requires plugin: CUDA and NCCL")
    def test_the_plugin_is_found_beside_the_programs_folder(self):
        installed = self.install(self.folder)
        run = launch.run_ranks(2, installed / "bin/all_reduce_perf", "-b", 8, "-e", 8, "-n", 5, cwd="/",
                               env=launch.on_fakes())
        self.assertEqual(run.returncode, 0, run.output)
        self.assertIn(f"# backend nccl: {installed}/lib/libcollbench_nccl.so\n", run.stdout)

    def test_links_between_documents_lead_somewhere(self):
        documents = self.install(self.folder) / "share/doc/collbench"
        for document in documents.rglob("*.md"):
            for link in re.findall(r"\]\(([^)#:]+\.md)", document.read_text()):
                with self.subTest(document=document.name, link=link):
                    self.assertTrue((document.parent / link).exists())

    def test_every_program_is_installed(self):
        installed = self.install(self.folder)
        built = {file.name for file in launch.BUILD.glob("*_perf")} | {"collbench"}
        self.assertEqual({file.name for file in (installed / "bin").iterdir()}, built)


if __name__ == "__main__":
    unittest.main()
