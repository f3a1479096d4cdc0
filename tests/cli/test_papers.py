# SPDX-License-Identifier: Apache-2.0
"""docs/papers.md: every number of its tables is what the command gives."""
import functools
import os
import re
import unittest

from program import SOURCE, linkwork_json

ROW = re.compile(r"^\| (?P<what>[^|]+) \|(?P<printed>[^|]*)\| (?P<value>[^|]+) \| `(?P<command>[^`]+)` \| `(?P<where>[^`]+)` \|$")


@functools.lru_cache(maxsize=None)
def answer(command):
    return linkwork_json(*(os.path.join(SOURCE, w) if w.endswith(".yaml") else w for w in command.split()))


class Papers(unittest.TestCase):
    def test_every_number_is_found(self):
        with open(os.path.join(SOURCE, "docs", "papers.md"), encoding="utf-8") as file:
            lines = [line.rstrip("\n") for line in file if line.startswith("| ") and "`" in line]
        rows = [ROW.match(line) for line in lines]
        self.assertGreaterEqual(len(rows), 18)
        self.assertNotIn(None, rows)
        for row in rows:
            found = eval(row["where"], {"len": len, "max": max, "sum": sum, "round": round}, answer(row["command"]))
            if row["value"] == "measured":
                self.assertGreater(found, 0, row["what"])
            else:
                self.assertEqual(float(found), float(row["value"]), row["what"])


if __name__ == "__main__":
    unittest.main()
