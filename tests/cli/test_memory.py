# SPDX-License-Identifier: Apache-2.0
"""Every allocation of every verb fails once: the program says that it is out of memory and exits with 1.

Allocations of all libraries count: tests/failure/fail_allocation.c is loaded before them.  A failure that a library
survives by itself (a smaller buffer) may also leave everything as it is: exit 0 and the same output.  Where results go
to stdout, the program runs once, and a process branches off at each of them; where it writes a file, it starts again.

  LINKWORK_MEMORY_STRIDE=N   every N-th allocation only; 1: all of them, as `make check-all` does under the sanitizers
"""
import atexit
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

from program import LINKWORK, SANITIZED, shipped

SHIM = os.environ["LINKWORK_FAIL_ALLOCATION"]
STRIDE = int(os.environ.get("LINKWORK_MEMORY_STRIDE", "47" if SANITIZED else "23"))
TIMES = re.compile(r".*(wall.time|seconds|solve_s|factor_s).*")

VERBS = [
    ("run", "four-bar", "--end", "0.02"),
    ("run", "four-bar", "--end", "0.02", "--formulation", "dca", "--integrator", "bdf"),
    ("run", "four-bar", "--end", "0.02", "--formulation", "cartesian", "--integrator", "rk4"),
    ("run", "double-pendulum", "--end", "0.02", "--integrator", "rk", "-o", "/dev/stdout"),
    ("run", "latch", "--end", "1", "--json"),
    ("run", "latch", "--end", "1", "--integrator", "rk"),
    ("check", "four-bar"),
    ("eval", "four-bar", "--json"),
    ("eval", "four-bar", "--formulation", "dca"),
    ("eval", "four-bar", "--formulation", "cartesian", "--json"),
    ("inspect", "four-bar"),
    ("inspect", "four-bar", "--json"),
    ("inspect", "double-pendulum", "--svg", "/dev/stdout"),
    ("equilibrium", "double-pendulum", "--json"),
    ("modes", "double-pendulum", "--json"),
    ("inverse", "four-bar", "--udot", "A=2"),
    ("sens", "double-pendulum", "--end", "0.02", "--json"),
    ("sens", "double-pendulum", "--end", "0.02", "--formulation", "cartesian"),
    ("view", "gripper", "--end", "0.2", "-o", "/dev/stdout"),
    ("draw", "four-bar", "-o", "/dev/stdout"),
    ("run", "latch", "--end", "0.1", "-o", "FOLDER/x.h5", "--report", "FOLDER/x.html"),
    ("convert", "satellite", "-o", "/dev/stdout"),
    ("convert", "double-pendulum", "-o", "FOLDER/x.xml"),
    ("results", "RESULTS", "--json"),
    ("results", "RESULTS", "-o", "FOLDER/x.jsonl"),
    ("plot", "RESULTS", "q.*"),
    ("plot", "RESULTS", "q.*", "-o", "FOLDER/x.svg"),
    ("sweep", "double-pendulum", "--vary", "La=0.9..1.1", "--cases", "2", "--end", "0.01", "--threads", "1", "--json"),
    ("sweep", "latch", "--cases", "2", "--end", "0.2", "--threads", "1", "-o", "FOLDER/x.h5"),
    ("check", "latch"),
    ("fit", "double-pendulum", "--data", "MEASURED", "--vary", "La", "--rtol", "1e-6", "--threads", "1", "--json"),
    ("optimize", "double-pendulum", "--vary", "Ma=0.9..1.1", "--end", "0.01", "--tolerance", "0.5", "--json"),
    ("bench", "solvers", "--quick", "--json"),
]


def environment_of(**settings):
    return dict(os.environ, LD_PRELOAD=SHIM, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1",
                ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=1", **settings)


@functools.cache
def results():
    """a file of results, for the verbs that read one"""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    path = os.path.join(folder.name, "latch.h5")
    subprocess.run([LINKWORK, "run", shipped("latch"), "-o", path, "-q"], check=True)
    return path


@functools.cache
def measured():
    """a table of measurements, for `fit`"""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    path = pathlib.Path(folder.name, "measured.csv")
    path.write_text("t,q.A\n0,0.1047\n0.1,0.08\n0.2,0.02\n0.3,-0.03\n", encoding="utf-8")
    return str(path)


def command(words, folder):
    subject = words[1] if words[0] in ("bench", "make") else results() if words[1] == "RESULTS" else shipped(words[1])
    return [LINKWORK, words[0], subject, *(measured() if word == "MEASURED" else word.replace("FOLDER", folder) for word in words[2:])]


def run(words, at):
    """What the program says when allocation `at` fails, 0: none; and the number of allocations."""
    with tempfile.TemporaryDirectory() as folder:
        count = pathlib.Path(folder, "count")
        done = subprocess.run(command(words, folder), text=True, errors="replace", timeout=1200, check=False,
                              env=environment_of(LINKWORK_FAIL_AT=str(at), LINKWORK_COUNT=str(count)), capture_output=True)
        done.left = sorted(path.name for path in pathlib.Path(folder).iterdir() if path != count)
        return done, int(count.read_text()) if count.exists() else 0


def run_each(words, first, stride):
    """The same for all allocations first, first + stride, ...: {number: answer}, by processes that branch off."""
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        with open(here / "out", "w") as out, open(here / "err", "w") as err:
            done = subprocess.run(command(words, folder), stdout=out, stderr=err, timeout=14400, check=False,
                                  env=environment_of(LINKWORK_FAIL_AT=str(first), LINKWORK_FAIL_EACH=str(stride),
                                                     LINKWORK_FAIL_FOLDER=folder))
        if done.returncode != 0:
            raise RuntimeError((here / "err").read_text(errors="replace"))
        answers = {}
        for path in here.glob("*.status"):
            text = [path.with_suffix(ending).read_text(errors="replace") for ending in (".out", ".err")]
            status = os.waitstatus_to_exitcode(int(path.read_text()))
            answers[int(path.stem)] = subprocess.CompletedProcess(words, status, *text)
        return answers


def without_times(text):
    if '"bad_numbering_seconds"' in text:  # of bench: all numbers are times, or differences of rounding errors
        return re.sub(r"-?\d[-+.\de]*", "#", text)
    return "\n".join(line for line in text.splitlines() if not TIMES.match(line))


def fault_of(done, good):
    """What is wrong with an answer; None: nothing."""
    if "Sanitizer" in done.stderr:
        return "a finding of the sanitizers:\n" + done.stderr[-2000:]
    if done.returncode < 0:
        return f"killed by signal {-done.returncode}"
    if done.returncode == 0:
        return None if without_times(done.stdout) == without_times(good) else "exit 0 with another result"
    if done.returncode != 1 or "memory" not in done.stderr:
        return f"exit {done.returncode}: {done.stderr[-300:]!r}"
    return None


def answers_of(words, first, stride, n):
    if not any("FOLDER" in word for word in words):
        return run_each(words, first, stride)
    with ThreadPoolExecutor(2) as pool:
        places = range(first, n + 1, stride)
        return dict(zip(places, pool.map(lambda at: run(words, at)[0], places)))


class Memory(unittest.TestCase):
    maxDiff = None

    def check(self, words):
        good, n = run(words, 0)
        self.assertEqual(good.returncode, 0, good.stderr)
        self.assertGreater(n, 100)
        first = 1 + sum(map(ord, "".join(words))) % STRIDE  # other ones of each
        # bench repeats the same allocations many times, how often depends on the clock
        stride = max(STRIDE, n // 40) if words[0] == "bench" else STRIDE
        answers = answers_of(words, first, stride, n)
        faults = {at: fault_of(done, good.stdout) for at, done in sorted(answers.items())}
        expected = (n - first) // stride - 5
        self.assertGreaterEqual(len(answers), expected // 4 if words[0] == "bench" else expected)
        self.assertEqual([f"allocation {at} of {n}: {fault}" for at, fault in faults.items() if fault], [],
                         " ".join(words))


def add_case(words):
    name = "test_" + re.sub(r"\W+", "_", " ".join(words))
    setattr(Memory, name, lambda self: self.check(words))


for case in VERBS:
    add_case(case)

if __name__ == "__main__":
    unittest.main(verbosity=1, argv=sys.argv)
