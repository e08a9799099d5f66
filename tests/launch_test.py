# SPDX-License-Identifier: Apache-2.0
# How tests ask for ranks.
import unittest
from unittest import mock

import launch

STARTS_NO_RANKS = True


class RankCounts(unittest.TestCase):
    def test_more_ranks_than_allowed_are_a_skip_that_says_how_many_are(self):
        for allowed, limit in (("2", 2), (None, 4)):
            changed = {} if allowed is None else {"TEST_RANKS": allowed}
            with self.subTest(allowed), mock.patch.dict(launch.os.environ, changed):
                if allowed is None:
                    launch.os.environ.pop("TEST_RANKS", None)
                launch.skip_beyond(limit)
                with self.assertRaisesRegex(unittest.SkipTest, f"{limit + 1} ranks, TEST_RANKS={limit}$"):
                    launch.skip_beyond(limit + 1)


    def test_there_are_no_more_ranks_than_real_gpus(self):
        for gpus, limit in (("1", 1), ("3", 3), ("8", 4)):
            with self.subTest(gpus), mock.patch.dict(launch.os.environ, {"TEST_GPUS": gpus, "TEST_RANKS": "4"}):
                self.assertEqual(launch.rank_counts()[-1], limit)

    def test_where_there_are_real_gpus_nothing_takes_the_fakes(self):
        self.assertIn("LD_LIBRARY_PATH", launch.on_fakes())
        with mock.patch.dict(launch.os.environ, {"TEST_GPUS": "1"}):
            self.assertEqual(launch.on_fakes({"A": "B"}), {"A": "B"})


class Statuses(unittest.TestCase):
    LOST = "=   EXIT CODE: 1\nYOUR APPLICATION TERMINATED WITH THE EXIT STRING: Hangup (signal 1)\n"
    FILE = {"run": {"exit_status": 5}}

    def test_the_file_is_believed_where_the_launcher_has_lost_the_status(self):
        self.assertEqual(launch.status_of(launch.Result(1, self.LOST, ""), self.FILE), 5)

    def test_the_launcher_is_believed_otherwise(self):
        self.assertEqual(launch.status_of(launch.Result(1, "", ""), self.FILE), 1)
        for document in (None, {"run": {}}):
            self.assertEqual(launch.status_of(launch.Result(1, self.LOST, ""), document), 1)


if __name__ == "__main__":
    unittest.main()
