# SPDX-License-Identifier: Apache-2.0
# One message of more than 2^31 bytes; those of more than 2^32 are `make test-large`.
import pathlib
import tempfile
import unittest

import large
from launch import sanitized


class LargeTest(large.LargeMessages):
    def test_all_gather_of_more_than_2_to_the_31_elements(self):
        if sanitized():
            self.skipTest("too slow under sanitizers")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "large.json"
            try:
                result = large.measure("all_gather", large.PAST_31_BYTES, path, timeout=240)
            except large.MemoryLacks as error:
                self.skipTest(f"requires memory: {error}")
            self.assertEqual(result.returncode, 0, result.output)
            self.check_file(path, "all_gather", large.PAST_31_BYTES)


if __name__ == "__main__":
    unittest.main()
