# SPDX-License-Identifier: Apache-2.0
"""A Monte Carlo study of a vehicle's suspension: killed and resumed, on ranks of MPI and in shards, with one table.  $LINKWORK_CASES cases."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from program import LINKWORK, MPIRUN, SANITIZED, shipped

CASES = int(os.environ.get("LINKWORK_CASES", "8" if SANITIZED else "24"))
STUDY = [shipped("hmmwv"), "--vary", "tyre=normal(3e5, 1.5e4)", "--vary", "tyre_damping=1200..1800", "--vary", "steering=normal(5e4, 2e3)",
         "--vary", "bump=0.01..0.04", "--design", "uniform", "--cases", str(CASES), "--set", "bump_start=0.1", "--end", "0.8", "--rtol", "1e-5",
         "--columns", "q.rack", "--extremes", "z.chassis"]


class MonteCarlo(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def sweep(self, *args, start=()):
        done = subprocess.run([*start, LINKWORK, "sweep", *STUDY, *args], capture_output=True, text=True, check=False, cwd=self.folder.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_one_table_however_it_is_computed(self):
        with subprocess.Popen([LINKWORK, "sweep", *STUDY, "-q", "--threads", "2", "-o", "killed.csv"], cwd=self.folder.name) as p:
            while p.poll() is None and (not os.path.exists(self.path("killed.csv")) or self.text("killed.csv").count("\n") < 2 + CASES//3):
                time.sleep(0.02)
            p.send_signal(signal.SIGKILL)
        kept = self.text("killed.csv").count("\n") - 2
        self.assertGreaterEqual(kept, 1)
        self.assertLess(kept, CASES)
        said = json.loads(self.sweep("--resume", "--json", "-o", "killed.csv", "--threads", "2").stdout)
        self.assertEqual((said["reused"], said["done"], said["failed"]), (kept, CASES, 0))
        for i in "123":
            self.sweep("-q", "--shard", i + "/3", "-o", f"{i}.csv", "--threads", i)
        self.sweep("1.csv", "2.csv", "3.csv", "--merge", "-q", "-o", "merged.csv")
        self.assertEqual(self.text("merged.csv"), self.text("killed.csv"))
        if shutil.which("mpirun"):
            self.sweep("-q", "-o", "ranks.csv", start=[*MPIRUN, "-n", "4"])
            self.assertEqual(self.text("ranks.csv"), self.text("killed.csv"))
        # a higher bump lifts the chassis further
        self.assertGreater(said["results"]["max.z.chassis"]["correlation"]["bump"], 0.8)


if __name__ == "__main__":
    unittest.main()
