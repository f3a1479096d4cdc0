# SPDX-License-Identifier: Apache-2.0
"""linkwork sweep by several ranks of MPI: the table of one process, also after a rank was killed in the middle."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from program import LINKWORK, MPIRUN

MODEL = """
linkwork: 1
gravity: [0, -9.81, 0]
parameters: {L: {value: 1, min: 0.5, max: 1.5}, m: 2, T: 2}
bodies:
  bar: {solid: {rod: {length: L, mass: m, axis: -y}}}
joints:
  A: {type: revolute, parent: ground, child: bar, q: 1}
forces:
  M: {type: motor, joint: A, value: "if(L > 1.4, sqrt(0.3 - t), 0)"}
simulation: {end: T}
study: {cases: 50, parameters: {L: , m: {normal: [2, 0.1]}}, columns: "q.A", extremes: u.A}
"""


@unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
class Ranks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(self.path("m.yaml"), "w", encoding="utf-8") as f:
            f.write(MODEL)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def run_it(self, *command, status=0):
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.folder.name, timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def sweep(self, ranks, *args, status=0):
        start = [*MPIRUN, "-n", str(ranks)] if ranks else []
        return self.run_it(*start, LINKWORK, "sweep", "m.yaml", *args, status=status)

    def test_any_number_of_ranks_gives_the_table_of_one_process(self):
        self.sweep(0, "-q", "-o", "alone.csv", "--threads", "1")
        for ranks in (1, 2, 3):
            done = self.sweep(ranks, "--json", "-q", "-o", f"{ranks}.csv")
            self.assertEqual(self.text(f"{ranks}.csv"), self.text("alone.csv"))
            said = json.loads(done.stdout)  # once, by the first rank
            self.assertEqual((said["done"], said["reused"]), (50, 0))
            self.assertGreater(said["failed"], 0)

    def test_a_lost_rank_loses_nothing_that_was_finished(self):
        words = ("--set", "T=60", "--integrator", "rk4", "--step", "2e-3", "-o", "t.csv")
        with subprocess.Popen([*MPIRUN, "-n", "3", LINKWORK, "sweep", "m.yaml", *words, "-q"], cwd=self.folder.name,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
            victim, until = None, time.monotonic() + 120
            while p.poll() is None and time.monotonic() < until:
                if os.path.exists(self.path("t.csv")) and self.text("t.csv").count("\n") > 8:
                    victim = self.rank(p.pid, 2)
                    if victim:
                        os.kill(victim, signal.SIGKILL)
                    break
                time.sleep(0.01)
            self.assertIsNotNone(victim)
            self.assertNotEqual(p.wait(60), 0)
        kept = self.text("t.csv").count("\n") - 2
        self.assertGreaterEqual(kept, 6)
        self.assertLess(kept, 50)
        said = json.loads(self.sweep(2, *words, "--resume", "--json").stdout)
        self.assertEqual((said["reused"], said["done"]), (kept, 50))
        self.sweep(0, *words[:-1], "alone.csv", "-q")
        self.assertEqual(self.text("t.csv"), self.text("alone.csv"))

    @staticmethod
    def rank(mpirun, number):
        """The process of this rank among the children of mpirun."""
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8") as f:
                    parent = int(f.read().rsplit(")", 1)[1].split()[1])
                with open(f"/proc/{name}/environ", "rb") as f:
                    environment = f.read().split(b"\0")
            except (OSError, ValueError):
                continue
            if parent == mpirun and f"OMPI_COMM_WORLD_RANK={number}".encode() in environment:
                return int(name)
        return None

    def test_one_message_for_a_mistake(self):
        done = self.sweep(3, "--columns", "q.Z", "-o", "t.csv", status=1)
        self.assertEqual(done.stderr.count("q.Z"), 1, done.stderr)
        done = self.sweep(2, "--threads", "2", status=2)
        self.assertIn("each rank computes one case at a time", done.stderr)
        self.assertFalse(os.path.exists(self.path("t.csv")))

    def test_a_rank_without_the_model_is_named(self):
        with open(self.path("rank.sh"), "w", encoding="utf-8") as f:
            f.write('#!/bin/sh\nif [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then cd /; fi\nexec "$@"\n')
        os.chmod(self.path("rank.sh"), 0o755)
        done = self.run_it(*MPIRUN, "-n", "3", "./rank.sh", LINKWORK, "sweep", "m.yaml", "-q", "-o", "t.csv", status=1)
        self.assertIn("rank 1 could not read the model", done.stderr)
        self.sweep(3, "-q", "-o", "t.csv", "--resume")
        self.sweep(0, "-q", "-o", "alone.csv")
        self.assertEqual(self.text("t.csv"), self.text("alone.csv"))


if __name__ == "__main__":
    unittest.main()
