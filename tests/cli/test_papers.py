# SPDX-License-Identifier: Apache-2.0
"""docs/papers.md: every number of its tables is what the command gives."""
import functools
import os
import re
import tempfile
import unittest

from program import SOURCE, linkwork, linkwork_json

ROW = re.compile(r"^\| (?P<what>[^|]+) \|(?P<printed>[^|]*)\| (?P<value>[^|]+) \| `(?P<command>[^`]+)` \| `(?P<where>[^`]+)` \|$")


FOLDER = tempfile.TemporaryDirectory()


def place(word):
    if word.startswith("/tmp/"):
        return os.path.join(FOLDER.name, word[len("/tmp/"):])
    return os.path.join(SOURCE, word) if word.endswith(".yaml") else word


@functools.lru_cache(maxsize=None)
def answer(command):
    parts = [[place(w) for w in part.split()] for part in command.split(" && ")]
    for words in parts[:-1]:
        linkwork(*words)
    return linkwork_json(*parts[-1], *(("-o", os.devnull) if parts[-1][0] == "run" else ()))


def first(whole):
    return next(iter(whole.values()))


def solver(model, name):
    return next(s for s in model["solvers"] if s["solver"] == name)


WORDS = {"len": len, "max": max, "min": min, "sum": sum, "round": round, "set": set, "first": first,
         "time": lambda model, name: solver(model, name)["seconds"],
         "bad": lambda model, name: solver(model, name)["bad_numbering_seconds"],
         "size": lambda whole, name: solver(first(whole), name)["size"]}


class Papers(unittest.TestCase):
    def test_every_number_is_found(self):
        with open(os.path.join(SOURCE, "docs", "papers.md"), encoding="utf-8") as file:
            lines = [line.rstrip("\n") for line in file if line.startswith("| ") and "`" in line]
        rows = [ROW.match(line) for line in lines]
        self.assertGreaterEqual(len(rows), 80)
        self.assertNotIn(None, rows)
        for row in rows:
            found = eval(row["where"], {**WORDS, **answer(row["command"]), "answer": answer(row["command"])})
            if row["value"] == "measured":
                self.assertGreater(found, 0, row["what"])
            else:
                self.assertEqual(float(found), float(row["value"]), row["what"])


if __name__ == "__main__":
    unittest.main()
