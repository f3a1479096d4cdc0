# SPDX-License-Identifier: Apache-2.0
"""linkwork sweep: the same table on any number of threads, in shards, and after it was killed; failed cases are kept."""
import csv
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from xml.etree import ElementTree

LINKWORK = os.environ["LINKWORK"]

PENDULUM = """
linkwork: 1
gravity: [0, -9.81, 0]
parameters: {L: {value: 1, min: 0.5, max: 1.5}, m: 2, T: 1}
bodies:
  bar: {solid: {rod: {length: L, mass: m, axis: -y}}}
joints:
  A: {type: revolute, parent: ground, child: bar, q: 1}
forces:
  M: {type: motor, joint: A, value: "if(L > 1.4, sqrt(0.3 - t), 0)"}
events:
  - {when: "q.A + 0.5", stop: true}
simulation: {end: T}
sensitivity: {objectives: {fastest: {max: "abs(u.A)"}, path: {integral: "abs(u.A)"}}}
"""


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(self.path("p.yaml"), "w", encoding="utf-8") as f:
            f.write(PENDULUM)
        with open(self.path("long.yaml"), "w", encoding="utf-8") as f:  # without its event
            f.write(PENDULUM.replace('  - {when: "q.A + 0.5", stop: true}\n', "").replace("events:\n", ""))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_it(self, *args, status=0, model="p.yaml"):
        done = subprocess.run([LINKWORK, "sweep", self.path(model), *args], capture_output=True, text=True, check=False,
                              cwd=self.folder.name)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def rows(self, name):
        return list(csv.DictReader(line for line in self.text(name).splitlines() if not line.startswith("#")))

    OPTIONS = ("--vary", "L", "--vary", "m=normal(2, 0.1)", "--cases", "40", "--columns", "q.A,u.A", "-q")

    def test_threads_shards_and_kills_do_not_change_the_table(self):
        self.run_it(*self.OPTIONS, "--threads", "1", "-o", "one.csv")
        self.run_it(*self.OPTIONS, "--threads", "3", "-o", "three.csv")
        for i in "123":
            self.run_it(*self.OPTIONS, "--shard", i + "/3", "-o", f"part{i}.csv")
        self.run_it("part1.csv", "part2.csv", "part3.csv", *self.OPTIONS, "--merge", "-o", "merged.csv")
        whole = self.text("one.csv")
        with open(self.path("cut.csv"), "w", encoding="utf-8") as f:
            f.write(whole[:len(whole)//2])
        done = self.run_it(*self.OPTIONS[:-1], "--resume", "-o", "cut.csv")
        self.assertRegex(done.stdout, r"\d+ computed before, \d+ now")
        for name in ("three.csv", "merged.csv", "cut.csv"):
            self.assertEqual(self.text(name), whole, name)

    def test_failed_cases_are_kept_with_their_message(self):
        self.run_it(*self.OPTIONS, "-o", "t.csv")
        rows = self.rows("t.csv")
        self.assertEqual([int(r["case"]) for r in rows], list(range(1, 41)))
        for r in rows:
            bad = float(r["L"]) > 1.4
            self.assertEqual(r["status"] == "ok", not bad, r)
            self.assertEqual(bool(r["message"]), bad)
            self.assertEqual(r["q.A"] == "", bad)
        self.assertTrue(any(float(r["L"]) > 1.4 for r in rows))

    def test_cases_equal_runs(self):
        self.run_it(*self.OPTIONS, "-o", "t.csv")
        row = next(r for r in self.rows("t.csv") if r["status"] == "ok")
        self.run_it(*self.OPTIONS, "--case", row["case"], "-o", "run.csv")
        last = self.rows("run.csv")[-1]
        for name in ("q.A", "u.A", "t"):
            self.assertEqual(last[name], row[name])
        done = subprocess.run([LINKWORK, "run", self.path("p.yaml"), "--json", "--set", "L=" + row["L"], "--set",
                               "m=" + row["m"]], capture_output=True, text=True, check=True)
        self.assertAlmostEqual(json.loads(done.stdout)["q"]["A"], float(row["q.A"]), delta=1e-7)
        self.assertGreater(float(row["path"]), float(row["fastest"])*0.1)

    def test_a_killed_sweep_goes_on(self):
        options = ("--design", "grid", "--vary", "T=20..30:20", "--vary", "L=0.6..0.9:3", "--columns", "q.A", "-q", "-o", "k.csv")
        with subprocess.Popen([LINKWORK, "sweep", self.path("long.yaml"), *options], cwd=self.folder.name) as p:
            for _ in range(4000):
                if os.path.exists(self.path("k.csv")) and self.text("k.csv").count("\n") > 6 or p.poll() is not None:
                    break
                time.sleep(0.005)
            p.send_signal(signal.SIGKILL)
        kept = max(0, self.text("k.csv").count("\n") - 2)
        self.assertGreater(kept, 0)
        done = self.run_it(*[o for o in options if o != "-q"], "--resume", "--json", model="long.yaml")
        summary = json.loads(done.stdout)
        self.assertEqual((summary["reused"], summary["done"], summary["failed"]), (kept, 60, 0))
        again = [o for o in options if o != "k.csv"]
        self.run_it(*again, "whole.csv", model="long.yaml")
        self.assertEqual(self.text("k.csv"), self.text("whole.csv"))

    def test_pages_have_a_plot_of_each_result_over_each_parameter(self):
        self.run_it(*self.OPTIONS, "--set", "T=0.5", "--report", "page.html")
        page = self.text("page.html")
        ElementTree.fromstring(page.replace("<!DOCTYPE html>", "").replace('<meta charset="utf-8">', ""))
        good = sum(r["status"] == "ok" for r in self.table(*self.OPTIONS, "--set", "T=0.5"))
        self.assertEqual(page.count("<svg"), 2*4 + 1)  # L, m; q.A, u.A, fastest, path
        self.assertEqual(page.count("<circle"), 2*4*good)
        self.assertEqual(page.count("<path"), 40)
        self.assertNotIn("http", page)

    def table(self, *options):
        self.run_it(*options, "-o", "table.csv")
        return self.rows("table.csv")

    def test_scripts_for_clusters_give_the_same_table(self):
        scripts = os.path.join(os.environ["LINKWORK_SOURCE"], "examples/cluster")
        options = [o for o in self.OPTIONS if o != "-q"]
        self.run_it(*self.OPTIONS, "-o", "whole.csv")
        for again in range(2):  # the second time there is nothing left to compute
            for i in "123":
                subprocess.run([os.path.join(scripts, "slurm-array.sh"), self.path("p.yaml"), *options], check=True, cwd=self.folder.name,
                               env=dict(os.environ, SLURM_ARRAY_TASK_ID=i, SLURM_ARRAY_TASK_COUNT="3"))
        subprocess.run([os.path.join(scripts, "merge.sh"), self.path("p.yaml"), *options], check=True, cwd=self.folder.name, capture_output=True)
        self.assertEqual(self.text("cases.csv"), self.text("whole.csv"))

    def test_tables_of_other_studies_are_neither_lost_nor_mixed(self):
        self.run_it(*self.OPTIONS, "-o", "t.csv")
        before = self.text("t.csv")
        self.assertIn("exists", self.run_it(*self.OPTIONS, "-o", "t.csv", status=2).stderr)
        other = self.run_it(*self.OPTIONS, "--seed", "2", "--resume", "-o", "t.csv", status=1).stderr
        self.assertIn("another study", other)
        self.assertIn("must name the table", self.run_it(*self.OPTIONS, "--resume", "-o", "none.csv", status=2).stderr)
        with open(self.path("x.csv"), "w", encoding="utf-8") as f:
            f.write("t,q.A\n0,1\n")
        self.assertIn("no table of", self.run_it(*self.OPTIONS, "--resume", "-o", "x.csv", status=1).stderr)
        self.assertEqual(self.text("t.csv"), before)
        self.run_it(*self.OPTIONS, "--shard", "1/2", "-o", "half.csv")
        missing = self.run_it("half.csv", *self.OPTIONS, "--merge", "-o", "m.csv", status=1).stderr
        self.assertIn("20 of 40 cases are in none of the tables", missing)

    def test_a_limit_ends_cases_and_not_the_sweep(self):
        self.run_it("--vary", "T=0.1,1e6", "--design", "grid", "--limit", "0.2", "--columns", "q.A", "--set", "L=1",
                    "--integrator", "rk4", "--step", "1e-3", "-q", "-o", "t.csv", model="long.yaml")
        rows = self.rows("t.csv")
        self.assertEqual([r["status"] for r in rows], ["ok", "LW_E_STOPPED"])
        self.assertIn("limit of 0.2 s", rows[1]["message"])

    def test_a_sweep_of_which_all_fails_says_so(self):
        done = self.run_it("--vary", "L=1.45..1.5", "--cases", "3", "--columns", "q.A", status=1)
        self.assertIn("3 failed, the first of them case 1", done.stdout)
        self.assertNotIn("nan", done.stdout)

    def test_events_without_derivatives_do_not_matter(self):
        with open(self.path("ball.yaml"), "w", encoding="utf-8") as f:
            f.write("""
linkwork: 1
parameters: {h: 1, e: 0.5}
bodies: {b: {mass: 1, inertia: [1, 1, 1], pose: {at: [0, 0, h]}}, c: {mass: 1, inertia: [1, 1, 1], pose: {at: [0, 0, 2 + h]}}}
contacts:
  floor: {body: b, radius: 0.1, on: {plane: {body: ground}}, restitution: e, friction: 0.5}
  pair: {body: c, radius: 0.1, on: {sphere: {body: b, radius: 0.1}}}
simulation: {end: 3}
sensitivity: {objectives: {highest: {max: z.b}, area: {integral: z.b}}}
""")
        self.run_it("--vary", "h=1..2", "--vary", "e=0..0.8", "--cases", "6", "--columns", "z.c", "-q", "-o", "t.csv",
                    model="ball.yaml")
        for r in self.rows("t.csv"):
            self.assertEqual(r["status"], "ok", r["message"])
            self.assertAlmostEqual(float(r["z.c"]), 0.3, delta=1e-6)
            self.assertGreater(float(r["area"]), 0.3)

    def test_cases_come_from_a_list(self):
        with open(self.path("cases.csv"), "w", encoding="utf-8") as f:
            f.write("t,L,m\n0,0.7,1\n1,0.8,2\n2,0.9,3\n")
        self.run_it("--list", "cases.csv", "-q", "-o", "t.csv")
        self.assertEqual([(r["L"], r["m"]) for r in self.rows("t.csv")], [("0.7", "1"), ("0.8", "2"), ("0.9", "3")])

    def test_wrong_usage_is_said(self):
        for args, words in ((("--vary", "Q=1..2"), 'no parameter "Q"'), (("--vary", "m"), "no min and max"),
                            (("--vary", "m=2..1"), "no range"), (("--vary", "m=x"), "write it as"),
                            (("--cases", "0"), "whole number"), (("--shard", "3/2"), "I/N"),
                            (("--case", "101"), "from 1 to 100"),
                            (("--design", "indices", "--cases", "1000000000", "--vary", "L"), "at most 1e9"), (("--design", "latin", "--list", "x.csv"), "only one of"),
                            (("--design", "lattin",), "latin")):
            done = subprocess.run([LINKWORK, "sweep", self.path("p.yaml"), *args], capture_output=True, text=True,
                                  check=False)
            self.assertIn(done.returncode, (1, 2), args)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
