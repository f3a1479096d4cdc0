# SPDX-License-Identifier: Apache-2.0
"""Every allocation of every verb fails once: the program says that it is out of memory and exits with 1.

Allocations of all libraries count: tests/failure/fail_allocation.c is loaded before them.  A failure that a library
survives by itself (a smaller buffer) may also leave everything as it is: exit 0 and the same output.

  LINKWORK_MEMORY_STRIDE=N   every N-th allocation only; 1: all of them
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

from program import LINKWORK, shipped

SHIM = os.environ["LINKWORK_FAIL_ALLOCATION"]
STRIDE = int(os.environ.get("LINKWORK_MEMORY_STRIDE", "23"))
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
    ("bench", "solvers", "--quick", "--json"),
]


def run(words, at):
    """At most a few lines of what the program says when allocation `at` fails; 0: none."""
    with tempfile.NamedTemporaryFile() as count:
        environment = dict(os.environ, LD_PRELOAD=SHIM, LINKWORK_FAIL_AT=str(at), LINKWORK_COUNT=count.name,
                           OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1",
                           ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=1")
        subject = words[1] if words[0] == "bench" else shipped(words[1])
        done = subprocess.run([LINKWORK, words[0], subject, *words[2:]], env=environment,
                              capture_output=True, text=True, errors="replace", timeout=1200, check=False)
        n = int(count.read() or 0)
    return done, n


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


class Memory(unittest.TestCase):
    def check(self, words):
        good, n = run(words, 0)
        self.assertEqual(good.returncode, 0, good.stderr)
        self.assertGreater(n, 100)
        first = 1 + sum(map(ord, "".join(words))) % STRIDE  # other ones of each
        with ThreadPoolExecutor(2) as pool:
            # bench repeats the same allocations many times, how often depends on the clock
            places = range(first, n + 1, max(STRIDE, n // 40) if words[0] == "bench" else STRIDE)
            answers = pool.map(lambda at: (at, fault_of(run(words, at)[0], good.stdout)), places)
            faults = [f"allocation {at} of {n}: {fault}" for at, fault in answers if fault]
        self.assertEqual(faults, [], " ".join(words))


def add_case(words):
    name = "test_" + re.sub(r"\W+", "_", " ".join(words))
    setattr(Memory, name, lambda self: self.check(words))


for case in VERBS:
    add_case(case)

if __name__ == "__main__":
    unittest.main(verbosity=1, argv=sys.argv)
