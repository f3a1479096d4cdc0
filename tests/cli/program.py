# SPDX-License-Identifier: Apache-2.0
"""The program that the tests of this folder run, the shipped models, and a folder to write in.

The program is $LINKWORK, the repository $LINKWORK_SOURCE.  Where the program was built with sanitizers (SANITIZED),
tests of numbers do less of the same: there it is memory that is looked at, and all of it is computed as released.
"""
import csv
import json
import os
import subprocess
import tempfile
import unittest

LINKWORK = os.environ.get("LINKWORK", "linkwork")
SANITIZED = "LINKWORK_SANITIZED" in os.environ
# Open MPI keeps memory of plugins that it has unloaded: no suppression can name them
MPIRUN = ["mpirun", *(["--allow-run-as-root"] if os.geteuid() == 0 else []), "--oversubscribe", "-x", "ASAN_OPTIONS=detect_leaks=0"]
SOURCE = os.environ.get("LINKWORK_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))


def shipped(name):
    """The path of a model that comes with linkwork."""
    return os.path.join(SOURCE, "models", name + ".yaml")


def linkwork(*words, expect=0):
    """Runs the program; fails unless it exits as expected."""
    done = subprocess.run([LINKWORK, *words], capture_output=True, text=True, timeout=1200)
    if done.returncode != expect:
        raise AssertionError(f"{words}: exit {done.returncode}, expected {expect}\n"
                             f"{done.stdout}{done.stderr}")
    return done


def read_json(done):
    """What the program printed; NaN and Infinity are not JSON."""
    def refuse(text):
        raise AssertionError(f"{done.args}: {text} is not a number of JSON")
    return json.loads(done.stdout, parse_constant=refuse)


def linkwork_json(*words):
    """What the program prints with --json."""
    return read_json(linkwork(*words, "--json"))


def read_csv(path):
    """The heads of the columns, and the rows as numbers; None where the table has none."""
    with open(path, newline="") as file:
        rows = [r for r in csv.reader(file) if not r[0].startswith("#")]
    return rows[0], [[float(x) if x else None for x in r] for r in rows[1:]]


class Folder(unittest.TestCase):
    """A test that writes files."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self._folder = folder.name

    def path(self, name):
        return os.path.join(self._folder, name)

    def model(self, text):
        """Writes a model file."""
        with open(self.path("model.yaml"), "w") as file:
            file.write(text)
        return file.name
