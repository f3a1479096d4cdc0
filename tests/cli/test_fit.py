# SPDX-License-Identifier: Apache-2.0
"""linkwork fit: values, intervals and undetermined combinations from measurements; the model file keeps its text."""
import csv
import json
import math
import os
import random
import re
import signal
import subprocess
import tempfile
import time
import unittest

LINKWORK = os.environ["LINKWORK"]

MODEL = """\
linkwork: 1
gravity: [0, -9.81, 0]
parameters:
  L: {value: 700, unit: mm, min: 100, max: 3000}   # a comment that stays
  m: {value: 2, min: 0.1}
  c: {value: 0.3, min: 0}
  load: 0
bodies:
  bar: {solid: {rod: {length: L, mass: m, axis: -y}}}
joints:
  A: {type: revolute, parent: ground, child: bar, q: 1, damping: c}
forces:
  M: {type: motor, joint: A, value: "load*sin(3*t)"}
simulation: {end: 2, output_step: 0.05}
"""


class Fit(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("m.yaml", MODEL)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def rows(self, name):
        return list(csv.DictReader(self.text(name).splitlines()))

    def run_it(self, *args, status=0, verb="fit"):
        done = subprocess.run([LINKWORK, verb, self.path("m.yaml"), *args], capture_output=True, text=True, check=False,
                              cwd=self.folder.name)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def measure(self, name, *options, noise=0.0, unit="rad", every=1, seed=1):
        self.run_it("-o", "clean.csv", "--columns", "q.A", "-q", *options, verb="run")
        draw = random.Random(seed)
        factor = 180/math.pi if unit == "deg" else 1
        lines = [f"t,q.A [{unit}]"]
        for i, r in enumerate(self.rows("clean.csv")):
            cell = "" if i % every else repr(factor*(float(r["q.A"]) + draw.gauss(0, noise)))
            lines.append(f"{r['t']},{cell}")
        self.write(name, "\n".join(lines) + "\n")

    def test_several_experiments_with_values_of_their_own(self):
        self.measure("one.csv", "--set", "load=5", unit="deg", noise=0.001)
        self.measure("two.csv", "--q", "A=0.4", noise=0.001, every=3, seed=2)
        start = ("--set", "L=800", "--set", "m=1.5", "--set", "c=0.1", "--vary", "L", "--vary", "m", "--vary", "c=..2")
        data = ("--data", "one.csv", "--with", "load=5", "--data", "two.csv", "--with", "q.A=0.4")
        found = json.loads(self.run_it(*data, *start, "-o", "new.yaml", "--table", "t.csv", "--json", "-q").stdout)
        self.assertTrue(found["converged"])
        for name, truth in (("L", 0.7), ("m", 2), ("c", 0.3)):
            p = found["parameters"][name]
            self.assertLess(abs(p["value"] - truth), 4*p["deviation"], name)
            self.assertLess(p["deviation"], 0.02*truth)
        self.assertEqual(found["columns"]["q.A"]["measurements"], 41 + 14)
        self.assertAlmostEqual(found["columns"]["q.A"]["noise"]/0.001, 1, delta=0.4)
        new = self.text("new.yaml")
        self.assertIn("a comment that stays", new)
        self.assertAlmostEqual(float(re.search(r"L: \{value: ([\d.]+), unit: mm", new)[1]), 1000*found["parameters"]["L"]["value"],
                               delta=1e-9)
        self.assertEqual(re.sub(r"value: [\d.]+", "value: X", new), re.sub(r"value: [\d.]+", "value: X", MODEL))
        self.assertEqual(len(self.rows("t-2.csv")), 41)
        row = next(r for r in self.rows("t-1.csv") if r["t"] == "1")
        self.assertAlmostEqual(float(row["q.A"]) - float(row["measured.q.A"]), float(row["residual.q.A"]), delta=1e-12)

    def test_what_is_not_determined_is_named(self):
        self.measure("run.csv")  # without a load only c/m counts
        done = self.run_it("--data", "run.csv", "--vary", "m,c=0..5,L", "--set", "c=0.4")
        self.assertRegex(done.stdout, r"not determined: changing m \+1 %, c \+1 % together changes nothing that was measured")
        found = json.loads(self.run_it("--data", "run.csv", "--vary", "m", "--vary", "c", "--json").stdout)
        self.assertIsNone(found["parameters"]["m"]["deviation"])
        self.assertEqual(found["parameters"]["m"]["role"], "undetermined")
        self.assertEqual(found["combinations"][0]["determined"], False)

    def test_bounds_hold_and_are_said(self):
        self.measure("run.csv", noise=0.001)
        found = json.loads(self.run_it("--data", "run.csv", "--vary", "L,c=0.4..1", "--set", "c=0.6", "--json").stdout)
        self.assertEqual((found["parameters"]["c"]["value"], found["parameters"]["c"]["role"]), (0.4, "at min"))
        self.assertIsNone(found["parameters"]["c"]["deviation"])

    def test_given_noise_judges_the_model(self):
        self.measure("run.csv", noise=0.01)
        good = self.run_it("--data", "run.csv", "--vary", "L", "--vary", "c", "--noise", f"q.A={0.01*180/math.pi} deg").stdout
        self.assertRegex(good, r"chi\^2 is \d+\.?\d* with 39 degrees of freedom\n")
        bad = self.run_it("--data", "run.csv", "--vary", "L", "--vary", "c", "--noise", "q.A=0.001").stdout
        self.assertIn("does not describe the measurements", bad)

    def test_weights_count_as_repetitions(self):
        self.measure("run.csv", noise=0.01)
        options = ("--vary", "L", "--noise", "q.A=0.01", "--json")
        once = json.loads(self.run_it("--data", "run.csv", *options).stdout)["parameters"]["L"]
        four = json.loads(self.run_it("--data", "run.csv", "--weight", "q.A=4", *options).stdout)["parameters"]["L"]
        lines = self.text("run.csv").splitlines()
        self.write("w.csv", "\n".join([lines[0] + ",weight"] + [line + ",4" for line in lines[1:]]) + "\n")
        rows = json.loads(self.run_it("--data", "w.csv", *options).stdout)["parameters"]["L"]
        for other in (four, rows):
            self.assertAlmostEqual(other["value"], once["value"], delta=1e-6)
            self.assertAlmostEqual(other["deviation"]*2/once["deviation"], 1, delta=1e-4)

    def test_mistakes_are_named(self):
        self.measure("run.csv")
        self.write("bad.csv", "t,q.AA\n0,1\n1,2\n")
        self.write("unit.csv", "t,q.A [kg]\n0,1\n1,2\n")
        self.write("back.csv", "t,q.A\n1,1\n0,2\n")
        for args, text, status in (
                (("--vary", "L"), "--data FILE", 2),
                (("--data", "run.csv", "--vary", "LL"), "did you mean", 2),
                (("--data", "bad.csv"), 'did you mean "q.A"', 2),
                (("--data", "unit.csv"), '"kg" is no unit of rad', 2),
                (("--data", "back.csv"), "must not be below 0 and not fall", 1),
                (("--data", "run.csv", "--noise", "u.A=1"), "is not measured", 2),
                (("--data", "run.csv", "--noise", "q.A=1 kg"), "another dimension", 2),
                (("--with", "load=1", "--data", "run.csv"), "must come before it", 2),
                (("--data", "run.csv", "--vary", "L", "--with", "L=1"), "is to be found", 2),
                (("--data", "run.csv", "--with", "q.B=1"), 'no joint "B"', 2),
                (("--data", "run.csv", "--vary", "L=1..2"), "starts at 0.7, outside its bounds", 1)):
            self.assertIn(text, self.run_it(*args, status=status).stderr, args)

    def test_runs_that_end_before_the_measurements_are_an_error(self):
        self.measure("run.csv")
        self.write("m.yaml", MODEL + "events: [{at: 1, stop: true}]\n")
        self.assertRegex(self.run_it("--data", "run.csv", "--vary", "L", status=1).stderr,
                         r"run.csv: the run ends at t = 1, before the measurements do")

    def test_an_interrupt_keeps_the_best_so_far(self):
        self.measure("run.csv", "--end", "400", "--rtol", "1e-12", noise=0.01)
        with subprocess.Popen([LINKWORK, "fit", self.path("m.yaml"), "--data", self.path("run.csv"), "--rtol", "1e-12", "--vary", "L", "--vary", "c",
                               "--vary", "load", "--set", "load=0.01"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
            time.sleep(0.3)
            p.send_signal(signal.SIGINT)
            p.communicate(timeout=100)
            self.assertEqual(p.returncode, -signal.SIGINT)


if __name__ == "__main__":
    unittest.main()
